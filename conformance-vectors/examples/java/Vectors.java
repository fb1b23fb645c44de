import com.google.gson.*; // Gson 2, or any other library for JSON
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

final class Vectors {
  interface Verifier { // true, false, or null for what the verifier does not offer
    Boolean accepts(String provider, JsonObject group, JsonObject test, byte[] body) throws Exception;
  }

  static byte[] content(JsonElement value) { // text, {"base64": …} or {"repeat": …, "times": …}
    if (value.isJsonPrimitive()) return value.getAsString().getBytes(StandardCharsets.UTF_8);
    JsonObject form = value.getAsJsonObject();
    if (form.has("base64")) return Base64.getDecoder().decode(form.get("base64").getAsString());
    return form.get("repeat").getAsString().repeat(form.get("times").getAsInt()).getBytes(StandardCharsets.UTF_8);
  }

  static int[] run(Path folder, Set<String> policy, Verifier verifier) throws Exception {
    int failed = 0, unsupported = 0;
    for (Path path : Files.newDirectoryStream(folder, "*.json")) {
      JsonObject suite = JsonParser.parseString(Files.readString(path)).getAsJsonObject();
      for (JsonElement group : suite.getAsJsonArray("testGroups"))
        for (JsonElement element : group.getAsJsonObject().getAsJsonArray("tests")) {
          JsonObject test = element.getAsJsonObject();
          byte[] body = test.has("body") ? content(test.get("body"))
              : Base64.getDecoder().decode(test.get("bodyBase64").getAsString());
          String result = test.get("result").getAsString();
          boolean wanted = !result.equals("invalid");
          for (JsonElement flag : test.getAsJsonArray("flags")) // your policy decides acceptable ones
            wanted &= result.equals("valid") || policy.contains(flag.getAsString())
                || !suite.getAsJsonObject("notes").getAsJsonObject(flag.getAsString()).has("policy");
          Boolean got = verifier.accepts(suite.get("provider").getAsString(), group.getAsJsonObject(), test, body);
          if (got == null) unsupported++;
          else if (got != wanted && ++failed > 0) System.out.println(test.get("tcId") + " expected " + result);
        }
    }
    return new int[] {failed, unsupported};
  }
}
