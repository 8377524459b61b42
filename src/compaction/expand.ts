import type { CallContext } from "../db/call-context.js";
import type { GrowthRequest } from "./boundary/parse-growth.js";
import { type ChannelPlan, eachChannel, type SerializerOf } from "./each-channel.js";
import type { GrowthReport } from "./growth-types.js";
import type { Replacement } from "./queries/values-of-channel.js";
import { REWRITTEN_AT_ONCE, wholeReplacement } from "./rewrite-values.js";
import { portionsOf } from "../saver/model/portions.js";

/** Stores splices as whole values; see `expand` of the savers. */
export function expand(
  call: CallContext,
  request: GrowthRequest,
  serdeOf: SerializerOf,
): Promise<GrowthReport> {
  return eachChannel(call, request, serdeOf, wholeValues);
}

const wholeValues: ChannelPlan = {
  repeats: true,
  concerns: ({ splices }) => splices > 0,
  *rewritesOf(key, versions, serde) {
    const splices = versions.filter(({ base }) => base !== null);
    for (const batch of portionsOf(
      splices,
      ({ whole_bytes, bytes }) => whole_bytes ?? bytes,
      REWRITTEN_AT_ONCE,
    )) {
      const targets = batch.map(({ version }) => version);
      yield {
        targets,
        replacementsOf: async ({ rowOf, read }) => {
          const replacements: Replacement[] = [];
          for (const version of targets) {
            if (typeof rowOf(version)?.base !== "string") continue;
            replacements.push(await wholeReplacement(serde, { ...key, version }, await read(version)));
          }
          return replacements;
        },
      };
    }
  },
};
