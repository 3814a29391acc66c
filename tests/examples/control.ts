// A test with the generated client of the control API: a workspace, time travel, and the requests that came.
import { client } from "./generated/client.gen";
import { deleteWorkspacesByName, getRequests, postClockAdvance, postWorkspaces } from "./generated/sdk.gen";

export async function codeRunsOut(mock: string): Promise<string[]> {
  client.setConfig({ baseUrl: mock, throwOnError: true });
  const { data: workspace } = await postWorkspaces({ body: { scenario: "onboarding" }, throwOnError: true });
  const headers = { "X-Mock-Workspace": workspace.name };
  await postClockAdvance({ headers, body: { by: "PT16M" }, throwOnError: true });

  await fetch(`${workspace.url}/senders/2/validate`, {
    method: "PUT",
    headers: { "api-key": workspace.api_key ?? "", "Content-Type": "application/json" },
    body: JSON.stringify({ otp: 123456 }),
  });

  const { data: requests } = await getRequests({ headers, query: { status: 400 }, throwOnError: true });
  await deleteWorkspacesByName({ path: { name: workspace.name }, throwOnError: true });
  return requests.items.map((request) => `${request.operation}: ${request.status}`);
}
