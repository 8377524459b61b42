import { z } from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import type { DatabaseAddress } from "../../telemetry/database-address.js";
import { hasCache } from "../cache/cache-call.js";
import { hasMemory } from "../memory/store-of.js";
import { canListen } from "../live/subscribe.js";
import type { ReadDefinitions } from "./call-definition.js";

export const overviewCalls: ReadDefinitions<"overview"> = {
  overview: {
    args: z.strictObject({}),
    run: async ({ context, may, signal }) => {
      const { schema, policy, database } = context.call;
      return {
        may: { answer: await may("answer"), edit: await may("edit"), delete: await may("delete") },
        hasGraphs: context.graphs !== undefined,
        isShallow: policy.keepLast === 1,
        schema,
        ...(policy.tenantId !== undefined && { tenantId: policy.tenantId }),
        database: addressText(database.address()),
        version: packageJson.version,
        // Without the database the page still shows what is wrong with it.
        hasMemory: await hasMemory(context, signal).catch(() => false),
        hasCache: await hasCache(context, signal).catch(() => false),
        canWatch: canListen(context.call),
      };
    },
  },
};

function addressText({ host, port, database }: DatabaseAddress): string {
  if (host === undefined) return database ?? "";
  return `${host}${port === undefined ? "" : `:${port}`}${database === undefined ? "" : `/${database}`}`;
}
