import type { InspectorContext } from "../inspector-context.js";
import type { InspectorAccess, InspectorAudit } from "../inspector-options.js";
import { finishAnswer, refusal } from "./responses.js";
import { randomUUID } from "node:crypto";

/** Who is let in; `user` is absent where the application does not say whose request it is. */
export interface AdmittedUser {
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
): Promise<AdmittedUser | Response> {
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

function userOf(decision: unknown): AdmittedUser | undefined {
  if (typeof decision !== "object" || decision === null || !("user" in decision)) return undefined;
  const { user } = decision;
  return typeof user === "string" && user !== "" ? { user } : undefined;
}

/** What the address of a request names. */
export type Target = "page" | "read" | "write";

/**
 * Whether a request was sent by the page itself, or by a person who opens it. Another site may link to the page, but neither read with
 * the cookies of its visitor nor change anything.
 */
export function isFromPage(request: Request, target: Target): boolean {
  // Browsers set this header where the address is trustworthy: HTTPS, or this machine. A script can't set it, and a proxy keeps it, also
  // one that changes `Host`.
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin") return true;
  if (site === "none") return target !== "write";
  if (site !== null) return target === "page" && isNavigation(request);
  const origin = request.headers.get("origin");
  return origin === null ? target !== "write" : isOriginOf(request, origin);
}

function isNavigation({ method, headers }: Request): boolean {
  const isDocument =
    headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return isDocument && (method === "GET" || method === "HEAD");
}

/** Compares without the scheme, which a proxy may end. An origin that the browser withholds is `null`, and no address. */
function isOriginOf(request: Request, origin: string): boolean {
  // Whoever sends the request also writes `X-Forwarded-Host`.
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** What is done, and by whom. */
type AuditedAction = Pick<InspectorAudit, "action" | "operation" | "details" | "user">;

/**
 * Does something, and tells the application of it before and afterwards. What the application refuses to hear of is not done; that it did
 * not hear of the end is logged, since it can't be undone.
 */
export async function audited<Result>(
  { audit, call }: InspectorContext,
  action: AuditedAction,
  work: () => Promise<Result>,
): Promise<Result> {
  if (audit === undefined) return work();
  const event = { id: randomUUID(), ...action };
  const end = async (outcome: Pick<InspectorAudit, "phase" | "error">): Promise<void> => {
    try {
      await audit({ ...event, at: new Date(), ...outcome });
    } catch (error) {
      call.telemetry?.failedBeside("audit of the inspector failed", error);
    }
  };
  await audit({ ...event, at: new Date(), phase: "begins" });
  try {
    const result = await work();
    await end({ phase: "done" });
    return result;
  } catch (error) {
    await end({ phase: "failed", error });
    throw error;
  }
}
