// The mock for tests in JavaScript: a workspace for each test, by HTTP.

const root = process.env.MOCKSERVER_URL ?? "http://localhost:8003";

async function call(method, url, body) {
  const answer = await fetch(url, { method, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

export class Workspace {
  // The label, such as the name of the test, is shown and found in the dashboard.
  static async make(scenario, label) {
    return new Workspace(await call("POST", `${root}/_mock/workspaces`, { scenario, label }));
  }

  constructor({ name, url, api_key }) {
    Object.assign(this, { name, url, apiKey: api_key });
  }

  // A control call: `await workspace.control("POST", "/clock/advance", { by: "PT16M" })`.
  control(method, path, body) {
    return call(method, `${root}/w/${this.name}/_mock${path}`, body);
  }

  // A failed test shows in ten lines what went wrong, and leaves its workspace to be looked at:
  // `http://localhost:8003/_mock/ui/workspaces?outcome=failed`.
  async end(failed) {
    const address = `${root}/_mock/workspaces/${this.name}`;
    if (!failed) return call("DELETE", address);
    const report = await fetch(`${root}/w/${this.name}/_mock/report?format=text`);
    console.error(await report.text());
    return call("PATCH", address, { outcome: "failed" });
  }
}
