<?php
// Creates senders and a workspace with PHP's extension curl: `php curl.php`.
$mock = getenv('MOCKSERVER_URL');
$sender = ['name' => 'Zoë', 'email' => 'zoe@acme.test'];
$curl = curl_init();

function ask(string $url, ?array $body = null, string $key = 'any'): array
{
    global $curl;
    curl_reset($curl); // its connections stay
    curl_setopt_array($curl, [
        CURLOPT_URL => $url,
        CURLOPT_HTTPHEADER => ["api-key: $key", 'Content-Type: application/json'],
        CURLOPT_RETURNTRANSFER => true,
    ]);
    if ($body !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body));
    }
    $answer = curl_exec($curl);
    if ($answer === false) {
        fwrite(STDERR, curl_error($curl) . "\n");
        exit(1);
    }
    printf("{\"status\":%d,\"body\":%s}\n", curl_getinfo($curl, CURLINFO_RESPONSE_CODE), trim($answer));
    return json_decode($answer, true);
}

ask("$mock/v3/senders", $sender);
$workspace = ask("$mock/_mock/workspaces", ['scenario' => 'onboarding']);
ask("{$workspace['url']}/senders", $sender, $workspace['api_key']);
$text = str_repeat('x', 1_100_000);
ask("$mock/_mock/stubs", ['method' => 'GET', 'path' => '/v3/reports', 'answer' => ['text' => $text]]);
ask("$mock/_mock/requests?operation=createSender");
