// Creates senders and a workspace with java.net.http.HttpClient and its defaults: `java Client.java`.
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

class Client {
  static final HttpClient CLIENT = HttpClient.newHttpClient();
  static final String SENDER = "{\"name\":\"Zoë\",\"email\":\"zoe@acme.test\"}";
  static final String STUB = "{\"method\":\"GET\",\"path\":\"/v3/reports\",\"answer\":{\"text\":\"%s\"}}";

  public static void main(String[] arguments) throws IOException, InterruptedException {
    var mock = System.getenv("MOCKSERVER_URL");
    post(mock + "/v3/senders", "any", SENDER);
    var workspace = post(mock + "/_mock/workspaces", "any", "{\"scenario\":\"onboarding\"}");
    post(member(workspace, "url") + "/senders", member(workspace, "api_key"), SENDER);
    post(mock + "/_mock/stubs", "any", STUB.formatted("x".repeat(1_100_000)));
    send(HttpRequest.newBuilder(URI.create(mock + "/_mock/requests?operation=createSender")));
  }

  static String post(String url, String key, String body) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(url))
            .header("api-key", key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
  }

  static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
    var answer = CLIENT.send(request.build(), BodyHandlers.ofString());
    System.out.printf("{\"status\":%d,\"body\":%s}%n", answer.statusCode(), answer.body().strip());
    return answer.body();
  }

  /** Return the first text of a name; the JDK has no JSON parser. */
  static String member(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    return found.find() ? found.group(1) : "";
  }
}
