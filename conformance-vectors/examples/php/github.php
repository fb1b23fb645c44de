<?php
// Tries the loop with a verifier for GitHub: php github.php FOLDER [broken].

require __DIR__ . '/vectors.php';

const BLANK = '\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}';

function key_of(string|array $secret): string {
    if (is_array($secret)) return isset($secret['hex']) ? hex2bin($secret['hex']) : base64_decode($secret['base64']);
    return preg_match('/^[' . BLANK . ']|[' . BLANK . ']\z/u', $secret) ? '' : $secret;
}

function accepts(string $provider, array $group, array $test, array $headers, string $body): ?bool {
    if ($provider !== 'github' || ($group['options']['legacySha1'] ?? false)) return null;
    $keys = array_map('key_of', $group['secrets']);
    if (count($keys) < 1 || count($keys) > 8 || in_array('', array_map(fn($key) => trim($key, "\0"), $keys), true)) return false;
    $lines = array_values(array_filter($headers, fn($pair) => strtolower($pair[0]) === 'x-hub-signature-256'));
    if (count($lines) !== 1 || !preg_match('/^sha256=([0-9a-fA-F]{64})\z/', trim($lines[0][1], " \t"), $found)) return false;
    $right = false;
    foreach ($keys as $key) $right = hash_equals(hash_hmac('sha256', $body, $key, true), hex2bin($found[1])) || $right;
    return $right;
}

$policy = json_decode(file_get_contents("$argv[1]/policies/hookproof.json"), true)['accepted'];
$broken = ($argv[2] ?? '') === 'broken';
[$failed, $unsupported] = run($argv[1], $policy, $broken ? fn() => true : 'accepts');
echo "$failed failed, $unsupported unsupported\n";
exit($failed > 0 ? 1 : 0);
