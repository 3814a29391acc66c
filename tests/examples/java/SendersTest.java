import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SendersTest {
  @RegisterExtension Workspace workspace = new Workspace("onboarding");

  @Test
  void aCodeConfirmsASender() throws Exception {
    workspace.control("POST", "/machines/sender/2/resend_otp", "");
    var otp = Workspace.member(workspace.control("GET", "/mailbox?to=ops@acme.test&wait=5", ""), "otp");

    var answer = workspace.api("PUT", "/senders/2/validate", "{\"otp\":" + otp + "}");

    assertEquals(204, answer.statusCode());
  }

  @Test
  void aCodeRunsOut() throws Exception {
    workspace.control("POST", "/clock/advance", "{\"by\":\"PT16M\"}");

    var answer = workspace.api("PUT", "/senders/2/validate", "{\"otp\":123456}");

    assertEquals("OTP code has expired", Workspace.member(answer.body(), "code"));
  }

  @Test
  void anOutageIsOverAfterOneCall() throws Exception {
    workspace.control("POST", "/faults", "{\"fault\":\"unavailable\",\"times\":1}");

    assertEquals(503, workspace.api("GET", "/senders", "").statusCode());
    assertEquals(200, workspace.api("GET", "/senders", "").statusCode());
  }
}
