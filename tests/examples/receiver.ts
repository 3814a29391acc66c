// A typed receiver of webhooks, made of the generated schemas and types.
import type { TransactionalEmailEvent } from "./generated/types.gen";
import { zTransactionalEmailEvent } from "./generated/zod.gen";

export function receive(body: unknown): string {
  const event: TransactionalEmailEvent = zTransactionalEmailEvent.parse(body);
  switch (event.event) {
    case "hard_bounce":
    case "soft_bounce":
      return `${event.email} bounced: ${event.reason}`;
    case "click":
      return `${event.email} clicked ${event.link}`;
    case "spam":
    case "complaint": // sources contradict each other on the name
      return `${event.email} complained about ${event["message-id"]}`;
    default:
      return `${event.email}: ${event.event}`;
  }
}
