// What the programs share: the client, and how a refusal ends a program.
import { BrevoClient, BrevoError } from "@getbrevo/brevo";

const { BREVO_API_KEY, BREVO_BASE_URL } = process.env;

export const connect = (apiKey = BREVO_API_KEY) => new BrevoClient({ apiKey, baseUrl: BREVO_BASE_URL });

/** Calls a program with a client and what stands on its command line. */
export async function run(main) {
  try {
    await main(connect(), ...process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof BrevoError)) throw error;
    console.error(`error: ${error.statusCode} ${error.body.message}`);
    process.exit(1);
  }
}

/** How a call is refused, or nothing if it is not. */
export async function refusal(call) {
  try {
    await call;
  } catch (error) {
    if (error instanceof BrevoError) return error;
    throw error;
  }
  return undefined;
}

/** What a call gives, or nothing if it is refused with a body that matches. */
export async function unless(matches, call) {
  try {
    return await call;
  } catch (error) {
    if (error instanceof BrevoError && error.statusCode === 400 && matches(error.body)) return undefined;
    throw error;
  }
}

export const alreadyExists = ({ message }) => message.includes("already exist");
export const hasNone = ({ code }) => code === "document_not_found"; // the account has no webhook yet
