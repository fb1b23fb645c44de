<?php
/** $accepts($provider, $group, $test, $headers, $body): true, false, or null for what the verifier does not offer */
function run(string $folder, array $policy, callable $accepts): array {
    [$failed, $unsupported] = [0, 0];
    foreach (glob("$folder/*.json") as $path) {
        $suite = json_decode(file_get_contents($path), true, 512, JSON_THROW_ON_ERROR);
        foreach ($suite['testGroups'] as $group) {
            foreach ($group['tests'] as $test) {
                $headers = array_map(fn($pair) => [$pair[0], content($pair[1])], $test['headers']);
                $body = content($test['body'] ?? ['base64' => $test['bodyBase64']]);
                $flags = array_filter($test['flags'], fn($flag) => $suite['notes'][$flag]['policy'] ?? false);
                $ours = $test['result'] === 'acceptable' && array_diff($flags, $policy) === []; // your policy decides
                $wanted = $ours || $test['result'] === 'valid';
                $got = $accepts($suite['provider'], $group, $test, $headers, $body);
                $unsupported += $got === null ? 1 : 0;
                $failed += $differs = $got === null || $got === $wanted ? 0 : 1;
                if ($differs) echo $test['tcId'], ' expected ', $test['result'], ' ', $test['reason'] ?? '', "\n";
            }
        }
    }
    return [$failed, $unsupported];
}
function content(string|array $value): string {
    if (is_string($value)) return $value;
    return isset($value['base64']) ? base64_decode($value['base64']) : str_repeat($value['repeat'], $value['times']);
}
