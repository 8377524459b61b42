import { keyText } from "../../parsing/keys.js";
import { findChannelValue } from "../stored-values/read-stored-value.js";
import { editableJson } from "../values/editable-json.js";
import { unwrapSnapshot } from "../../saver/codec/unwrap-snapshot.js";
import { checkpointPlace } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

export const editableValueCalls: ReadDefinitions<"editableValue"> = {
  editableValue: {
    args: checkpointPlace.extend({ channel: keyText }),
    run: async (run, place) => {
      const found = await findChannelValue(run, place);
      return found === undefined ? {} : editableJson(unwrapSnapshot(found.value));
    },
  },
};
