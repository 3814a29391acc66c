// A workspace of the mock for each test, by the HttpClient of the JDK.
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

class Workspace implements BeforeEachCallback, AfterEachCallback {
  private static final String MOCK = System.getenv().getOrDefault("MOCKSERVER_URL", "http://localhost:8003");
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private final String scenario;
  private String name;
  String url;
  String apiKey;

  Workspace(String scenario) {
    this.scenario = scenario;
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    var body = "{\"scenario\":\"%s\",\"label\":\"%s\"}".formatted(scenario, context.getDisplayName());
    var made = send("POST", MOCK + "/_mock/workspaces", body).body();
    name = member(made, "name");
    url = member(made, "url");
    apiKey = member(made, "api_key");
  }

  // A failed test shows in ten lines what went wrong, and leaves its workspace to be looked at.
  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    var address = MOCK + "/_mock/workspaces/" + name;
    if (context.getExecutionException().isEmpty()) {
      send("DELETE", address, "");
      return;
    }
    System.err.println(control("GET", "/report?format=text", ""));
    send("PATCH", address, "{\"outcome\":\"failed\"}");
  }

  /** Make a control call, such as `control("POST", "/clock/advance", "{\"by\":\"PT16M\"}")`. */
  String control(String method, String path, String body) throws IOException, InterruptedException {
    var answer = send(method, MOCK + "/w/" + name + "/_mock" + path, body);
    if (answer.statusCode() >= 400) throw new IOException(method + " " + path + ": " + answer.body());
    return answer.body();
  }

  /** Call the API as the product does. */
  HttpResponse<String> api(String method, String path, String body) throws IOException, InterruptedException {
    return send(method, url + path, body);
  }

  /** Return the first value of a name; with a JSON library, use that. */
  static String member(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
    return found.find() ? found.group(1) : "";
  }

  private HttpResponse<String> send(String method, String url, String body) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url)).method(method, BodyPublishers.ofString(body));
    if (apiKey != null) request.header("api-key", apiKey);
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }
}
