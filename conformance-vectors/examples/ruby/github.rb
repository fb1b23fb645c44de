# Tries the loop with a verifier for GitHub: ruby github.rb FOLDER [broken].

require "openssl"
require_relative "vectors"

def key(secret)
  return secret["hex"] ? [secret["hex"]].pack("H*") : secret["base64"].unpack1("m0") if secret.is_a?(Hash)
  secret.match?(/\A[[:space:]]|[[:space:]]\z/) ? "" : secret.b
end

ACCEPTS = lambda do |provider, group, _test, headers, body|
  return nil if provider != "github" || group.dig("options", "legacySha1")
  keys = group["secrets"].map { |secret| key(secret) }
  return false if !keys.size.between?(1, 8) || keys.any? { |key| key.bytes.all?(&:zero?) }
  lines = headers.filter_map { |name, value| value if name.downcase == "x-hub-signature-256" }
  found = lines.size == 1 ? lines[0].match(/\A[ \t]*sha256=([0-9a-fA-F]{64})[ \t]*\z/n) : nil
  return false if found.nil?
  signature = [found[1]].pack("H*")
  keys.map { |key| OpenSSL.fixed_length_secure_compare(OpenSSL::HMAC.digest("SHA256", key, body), signature) }.any?
end

folder, word = ARGV
policy = JSON.parse(File.read("#{folder}/policies/hookproof.json"))["accepted"]
failed, unsupported = run(folder, policy, word == "broken" ? ->(*) { true } : ACCEPTS)
puts "#{failed} failed, #{unsupported} unsupported"
exit(failed.zero? ? 0 : 1)
