// Tries the loop with a verifier for GitHub: java -cp gson.jar:. GitHub FOLDER [broken].

import com.google.gson.*;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.MessageDigest;
import java.util.*;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class GitHub {
  static final Pattern SIGNATURE = Pattern.compile("[ \t]*sha256=([0-9a-fA-F]{64})[ \t]*");
  static final Pattern BLANK_AROUND =
      Pattern.compile("^\\p{IsWhite_Space}.*|.*\\p{IsWhite_Space}$", Pattern.DOTALL);

  static byte[] key(JsonElement secret) {
    if (secret.isJsonPrimitive()) {
      String text = secret.getAsString();
      return BLANK_AROUND.matcher(text).matches() ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
    }
    JsonObject form = secret.getAsJsonObject();
    return form.has("hex") ? HexFormat.of().parseHex(form.get("hex").getAsString()) : Vectors.content(form);
  }

  static Boolean accepts(String provider, JsonObject group, JsonObject test, byte[] body) throws Exception {
    JsonElement options = group.get("options");
    boolean sha1 = options != null && options.getAsJsonObject().has("legacySha1")
        && options.getAsJsonObject().get("legacySha1").getAsBoolean();
    if (!provider.equals("github") || sha1) return null;
    List<String> lines = new ArrayList<>();
    for (JsonElement header : test.getAsJsonArray("headers")) {
      JsonArray pair = header.getAsJsonArray();
      if (pair.get(0).getAsString().equalsIgnoreCase("x-hub-signature-256"))
        lines.add(new String(Vectors.content(pair.get(1)), StandardCharsets.ISO_8859_1));
    }
    var found = SIGNATURE.matcher(lines.size() == 1 ? lines.get(0) : "");
    JsonArray secrets = group.getAsJsonArray("secrets");
    if (!found.matches() || secrets.size() > 8) return false;
    byte[] signature = HexFormat.of().parseHex(found.group(1));
    boolean right = false;
    for (JsonElement secret : secrets) {
      byte[] key = key(secret);
      if (new BigInteger(1, key).signum() == 0) return false;
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      right |= MessageDigest.isEqual(mac.doFinal(body), signature);
    }
    return right;
  }

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    JsonObject file = JsonParser.parseString(Files.readString(folder.resolve("policies/hookproof.json"))).getAsJsonObject();
    Set<String> policy = new HashSet<>();
    file.getAsJsonArray("accepted").forEach(flag -> policy.add(flag.getAsString()));
    boolean broken = args.length > 1 && args[1].equals("broken");
    int[] counts = Vectors.run(folder, policy, broken ? (provider, group, test, body) -> true : GitHub::accepts);
    System.out.println(counts[0] + " failed, " + counts[1] + " unsupported");
    System.exit(counts[0] > 0 ? 1 : 0);
  }
}
