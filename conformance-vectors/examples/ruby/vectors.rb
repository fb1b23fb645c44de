require "json"

# accepts.call(provider, group, test, headers, body): true, false, or nil for what the verifier does not offer
def run(folder, policy, accepts)
  failed = unsupported = 0
  Dir.glob("*.json", base: folder).sort.each do |name|
    suite = JSON.parse(File.read(File.join(folder, name), encoding: "UTF-8"))
    suite["testGroups"].each do |group|
      group["tests"].each do |test|
        headers = test["headers"].map { |name, value| [name, content(value)] }
        body = content(test["body"] || { "base64" => test["bodyBase64"] })
        flags = test["flags"].select { |flag| suite["notes"][flag]["policy"] } # your policy decides acceptable ones
        wanted = test["result"] == "acceptable" ? (flags - policy).empty? : test["result"] == "valid"
        got = accepts.call(suite["provider"], group, test, headers, body)
        next unsupported += 1 if got.nil?
        next if got == wanted
        failed += 1
        puts "#{test["tcId"]} expected #{test["result"]} #{test["reason"]}"
      end
    end
  end
  [failed, unsupported]
end
def content(value)
  return value.b if value.is_a?(String)
  value.key?("base64") ? value["base64"].unpack1("m0") : value["repeat"].b * value["times"]
end
