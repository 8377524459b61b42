import { keyText } from "../../parsing/keys.js";
import { CheckpointNotFoundError } from "../../errors/index.js";
import { editableJson } from "../values/editable-json.js";
import { checkpointPlace } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

export const editableValueCalls: ReadDefinitions<"editableValue"> = {
  editableValue: {
    args: checkpointPlace.extend({ channel: keyText }),
    run: async ({ context, signal }, { threadId, namespace, checkpointId, channel }) => {
      const configurable = { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId };
      const tuple = await context.saver.getTuple(
        { configurable },
        { channels: [channel], writes: false, signal },
      );
      if (tuple === undefined)
        throw new CheckpointNotFoundError({ threadId, checkpointNs: namespace, checkpointId });
      const values = tuple.checkpoint.channel_values;
      return Object.hasOwn(values, channel) ? editableJson(values[channel]) : {};
    },
  },
};
