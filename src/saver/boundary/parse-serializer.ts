import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { checkedSerializer } from "../../serde/checked-serializer.js";
import { MsgpackSerializer } from "../../serde/msgpack-serializer.js";

/**
 * Checks the serializer of a saver. The default is MessagePack in Python's layout.
 *
 * @throws InvalidConfigError for anything else than a serializer, such as the options in its place.
 */
export function parseSerializer(serde: SerializerProtocol | undefined): SerializerProtocol {
  return checkedSerializer(serde ?? new MsgpackSerializer());
}
