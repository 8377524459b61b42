import type { InspectorContext } from "../inspector-context.js";
import type { InspectorAccess } from "../inspector-options.js";
import { finishAnswer } from "./refusal-page.js";
import { refusal } from "./responses.js";

/** Who is let in; `user` is absent where the application does not say whose request it is. */
export interface Admission {
  readonly user?: string;
}

/**
 * Asks the application about a request. Only `true` and a user let it in, whatever an untyped function returns.
 *
 * @returns The answer to send instead, where the request is not let in.
 */
export async function decide(
  context: InspectorContext,
  request: Request,
  access: InspectorAccess,
): Promise<Admission | Response> {
  try {
    const decision: unknown = await context.authorize(request, access);
    // The application's answer, such as its page for signing in, keeps its own headers.
    if (decision instanceof Response) return decision;
    if (decision === true) return {};
    return (
      userOf(decision) ?? (await finishAnswer(request, refusal(403, "FORBIDDEN", "you may not do this")))
    );
  } catch (error) {
    context.call.telemetry?.failedBeside("authorize of the inspector failed", error);
    return finishAnswer(
      request,
      refusal(500, "AUTHORIZE_FAILED", "the application could not decide about the request"),
    );
  }
}

function userOf(decision: unknown): Admission | undefined {
  if (typeof decision !== "object" || decision === null || !("user" in decision)) return undefined;
  const { user } = decision;
  return typeof user === "string" && user !== "" ? { user } : undefined;
}
