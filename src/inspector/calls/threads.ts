import { z } from "zod";
import { limitUpTo } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

const DEFAULT_LIMIT = 50;

export const threadsCalls: ReadDefinitions<"threads"> = {
  threads: {
    args: z.strictObject({
      search: z.string().optional(),
      filter: z.record(z.string(), z.unknown()).optional(),
      order: z.enum(["id", "recent"]).optional(),
      after: z.string().optional(),
      limit: limitUpTo(200),
    }),
    run: async ({ context, signal }, { after, filter, limit = DEFAULT_LIMIT }) => {
      const found = await context.saver.listThreads({ after, filter, limit, signal });
      return {
        threads: found.map(
          ({ threadId, checkpointNs, checkpointId, updatedAt, checkpoints, namespaces }) => ({
            ...{ threadId, namespace: checkpointNs, checkpointId, updatedAt: updatedAt.getTime() },
            ...{ checkpoints, namespaces, status: "done" as const, next: [] },
          }),
        ),
        ...(found.length === limit && { next: found.at(-1)?.threadId ?? "" }),
      };
    },
  },
};
