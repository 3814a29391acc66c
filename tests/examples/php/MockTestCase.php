<?php
// A workspace of the mock for each test.
use PHPUnit\Framework\TestCase;

abstract class MockTestCase extends TestCase
{
    protected array $workspace;
    private string $mock;
    private bool $passed = false;

    protected function setUp(): void
    {
        $this->mock = getenv('MOCKSERVER_URL') ?: 'http://localhost:8003';
        $body = ['scenario' => 'onboarding', 'label' => $this->toString()];
        $this->workspace = self::call('POST', "{$this->mock}/_mock/workspaces", $body)[1];
    }

    protected function assertPostConditions(): void
    {
        $this->passed = true; // PHPUnit calls this after tests that pass
    }

    // A failed test shows in ten lines what went wrong, and leaves its workspace to be looked at.
    protected function tearDown(): void
    {
        $address = "{$this->mock}/_mock/workspaces/{$this->workspace['name']}";
        if ($this->passed) {
            self::call('DELETE', $address);
            return;
        }
        fwrite(STDERR, file_get_contents("{$this->mock}/w/{$this->workspace['name']}/_mock/report?format=text"));
        self::call('PATCH', $address, ['outcome' => 'failed']);
    }

    // A control call, such as `$this->control('POST', '/clock/advance', ['by' => 'PT16M'])`.
    protected function control(string $method, string $path, ?array $body = null): ?array
    {
        [$status, $answer] = self::call($method, "{$this->mock}/w/{$this->workspace['name']}/_mock$path", $body);
        self::assertLessThan(400, $status, "$method $path: " . json_encode($answer));
        return $answer;
    }

    // A call of the API as the product makes it: status and body.
    protected function api(string $method, string $path, ?array $body = null): array
    {
        return self::call($method, $this->workspace['url'] . $path, $body, $this->workspace['api_key']);
    }

    private static function call(string $method, string $url, ?array $body = null, string $key = ''): array
    {
        $curl = curl_init($url);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => ["api-key: $key", 'Content-Type: application/json'],
            CURLOPT_POSTFIELDS => $body === null ? '' : json_encode($body),
            CURLOPT_RETURNTRANSFER => true,
        ]);
        $answer = curl_exec($curl);
        if ($answer === false) {
            throw new RuntimeException(curl_error($curl));
        }
        return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), json_decode($answer, true)];
    }
}
