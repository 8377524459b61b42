import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { checkedSerializer } from "../../serde/layers/checked-serializer.js";
import { MsgpackSerializer } from "../../serde/msgpack/msgpack-serializer.js";

/**
 * The serializer that a saver was given, or MessagePack in Python's layout.
 *
 * @throws InvalidConfigError for what is none, such as the options in its place.
 */
export function parseSerializer(serde: SerializerProtocol | undefined): SerializerProtocol {
  return checkedSerializer(serde ?? new MsgpackSerializer());
}
