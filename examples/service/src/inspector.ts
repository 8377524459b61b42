import { createHash, timingSafeEqual } from "node:crypto";
import { createInspector, type InspectorDecision, nodeListener } from "langgraph-checkpoint-kysely/inspector";
import type { Assistant } from "./assistant.js";
import type { Database } from "./database.js";
import { log } from "./log.js";

/** Where the inspector is mounted. */
export const INSPECTOR_PATH = "/inspect";

/** The page where a person approves what the assistant asks for. */
export function mountInspector({ saver, store }: Database, assistant: Assistant, token: string) {
  const inspector = createInspector(saver, {
    basePath: INSPECTOR_PATH,
    graphs: { assistant },
    store,
    authorize: (request) => authorize(request, token),
    // Who approved what, before it happens and after it. A service with duties to keep records stores this.
    audit: (event) => {
      log.info("inspector", event);
    },
  });
  return nodeListener(inspector);
}

/**
 * The browser asks for a name and a password. The name goes into the audit, and the password is the token. Where people sign in by a proxy,
 * read the header that it sets instead, and let only some of them answer.
 */
function authorize({ headers }: Request, token: string): InspectorDecision {
  const [, credentials = ""] = /^Basic (.+)$/.exec(headers.get("authorization") ?? "") ?? [];
  const [, user = "", password = ""] =
    /^([^:]+):(.*)$/.exec(Buffer.from(credentials, "base64").toString()) ?? [];
  if (timingSafeEqual(digest(password), digest(token))) return { user };
  return new Response("Sign in", { status: 401, headers: { "www-authenticate": 'Basic realm="inspector"' } });
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
