<?php
require_once __DIR__ . '/MockTestCase.php';

final class SendersTest extends MockTestCase
{
    public function testACodeConfirmsASender(): void
    {
        $this->control('POST', '/machines/sender/2/resend_otp');
        $mails = $this->control('GET', '/mailbox?to=ops@acme.test&wait=5');
        $otp = $mails['items'][0]['otp'];

        [$status] = $this->api('PUT', '/senders/2/validate', ['otp' => $otp]);

        self::assertSame(204, $status);
    }

    public function testACodeRunsOut(): void
    {
        $this->control('POST', '/clock/advance', ['by' => 'PT16M']);

        [, $answer] = $this->api('PUT', '/senders/2/validate', ['otp' => 123456]);

        self::assertSame('OTP code has expired', $answer['code']);
    }
}
