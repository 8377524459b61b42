import type { CallContext } from "../db/call-context.js";
import { wrapBytes } from "../serde/layers/serializer-layer.js";
import { encodeAt } from "../saver/codec/encode-value.js";
import type { GrowthRequest } from "./boundary/parse-growth.js";
import { type ChannelPlan, eachChannel, type SerializerOf } from "./each-channel.js";
import type { GrowthReport } from "./growth-types.js";
import type { Replacement } from "./queries/replace-value.js";
import { batchesOf } from "./rewrite-values.js";

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
    for (const batch of batchesOf(splices, ({ whole_bytes, bytes }) => whole_bytes ?? bytes)) {
      const targets = batch.map(({ version }) => version);
      yield {
        targets,
        replacementsOf: async ({ rowOf, read }) => {
          const replacements: Replacement[] = [];
          for (const version of targets) {
            if (typeof rowOf(version)?.base !== "string") continue;
            const { type, bytes } = await read(version);
            const context = { ...key, version };
            const whole = await encodeAt(context, () => wrapBytes(serde, [type, bytes], context));
            replacements.push({ version, ...whole, base: null, wholeBytes: null });
          }
          return replacements;
        },
      };
    }
  },
};
