import { z } from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import type { DatabaseAddress } from "../../telemetry/logger.js";
import type { Overview } from "../api/inspector-api.js";
import { hasCache } from "../cache/cache-call.js";
import { hasMemory } from "../memory/item-stores.js";
import { canListen } from "../live/thread-events.js";
import type { CallRun, ReadDefinitions } from "./call-definition.js";

export const overviewCalls: ReadDefinitions<"overview"> = {
  overview: {
    args: z.strictObject({}),
    run: async ({ context, may, signal }) => {
      const { schema, policy, database } = context.call;
      return {
        may: await rightsOf(may),
        isShallow: policy.keepLast === 1,
        schema,
        ...(policy.tenantId !== undefined && { tenantId: policy.tenantId }),
        database: addressText(database.address()),
        version: packageJson.version,
        hasGraphs: context.graphs !== undefined,
        // Without the database the page still shows what is wrong with it.
        hasMemory: await hasMemory(context, signal).catch(() => false),
        hasCache: await hasCache(context, signal).catch(() => false),
        canWatch: canListen(context.call),
      };
    },
  },
};

async function rightsOf(may: CallRun["may"]): Promise<Overview["may"]> {
  const [answer, goOn, replay, update, fork, edit, remove] = await Promise.all([
    may("answer"),
    may("continue"),
    may("replay"),
    may("update"),
    may("fork"),
    may("edit"),
    may("delete"),
  ]);
  return { answer, continue: goOn, replay, update, fork, edit, delete: remove };
}

function addressText({ host, port, database }: DatabaseAddress): string {
  if (host === undefined) return database ?? "";
  return `${host}${port === undefined ? "" : `:${port}`}${database === undefined ? "" : `/${database}`}`;
}
