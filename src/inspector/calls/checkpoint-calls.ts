import { z } from "zod";
import { keyText } from "../../parsing/keys.js";
import { readConversation } from "../checkpoints/read-conversation.js";
import { viewCheckpoint } from "../checkpoints/view-checkpoint.js";
import { checkpointPlace, limitUpTo } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";
import { compareChannel, compareCheckpoints } from "../checkpoints/compare-checkpoints.js";
import { findChannelValue } from "../stored-values/read-stored-value.js";
import { editableJson } from "../values/editable-json.js";
import { unwrapSnapshot } from "../../saver/codec/special-values.js";
import { getNeighbours } from "../queries/surroundings.js";

const DEFAULT_MESSAGES = 50;
const DEFAULT_CHANGES = 100;
const compared = z.strictObject({ before: checkpointPlace, after: checkpointPlace });

export const checkpointsCalls: ReadDefinitions<
  "checkpoint" | "conversation" | "compare" | "compareChannel" | "editableValue" | "neighbours"
> = {
  checkpoint: { args: checkpointPlace, run: viewCheckpoint },
  conversation: {
    args: checkpointPlace.extend({
      channel: keyText,
      offset: z.number().int().min(0).optional(),
      limit: limitUpTo(200),
    }),
    run: (run, { offset = 0, limit = DEFAULT_MESSAGES, ...place }) =>
      readConversation(run, place, { offset, limit }),
  },
  compare: { args: compared, run: compareCheckpoints },
  compareChannel: {
    args: compared.extend({ channel: keyText, limit: limitUpTo(500) }),
    run: (run, { channel, limit = DEFAULT_CHANGES, ...places }) =>
      compareChannel(run, places, channel, limit),
  },
  editableValue: {
    args: checkpointPlace.extend({ channel: keyText }),
    run: async (run, place) => {
      const found = await findChannelValue(run, place);
      return found === undefined ? {} : editableJson(unwrapSnapshot(found.value));
    },
  },
  neighbours: {
    args: checkpointPlace,
    run: async ({ call }, place) => {
      const rows = await getNeighbours(call, place);
      const older = rows.find(({ is_newer: isNewer }) => !isNewer)?.checkpoint_id;
      const newer = rows.find(({ is_newer: isNewer }) => isNewer)?.checkpoint_id;
      return { ...(older !== undefined && { older }), ...(newer !== undefined && { newer }) };
    },
  },
};
