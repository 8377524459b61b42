import { AIMessage } from "@langchain/core/messages";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { pythonTuple } from "../../src/serde/msgpack/encode-context.js";
import { EXT } from "../../src/serde/msgpack/ext-codes.js";
import { extension, pack } from "../../src/serde/msgpack/wire.js";

/** Writes lists of AI messages as version 0.1.0 did: also what they were built from. */
export class OldMsgpackSerializer extends MsgpackSerializer {
  override dumpsTyped(value: unknown): ReturnType<SerializerProtocol["dumpsTyped"]> {
    if (!isMessages(value)) return super.dumpsTyped(value);
    return Promise.resolve(["msgpack", pack(value.map(oldMessage))]);
  }
}

/** Likewise as JSON. */
export class OldJsonSerializer extends JsonSerializer {
  override async dumpsTyped(value: unknown): ReturnType<SerializerProtocol["dumpsTyped"]> {
    const [type, bytes] = await super.dumpsTyped(value);
    if (!isMessages(value)) return [type, bytes];
    const records = JSON.parse(Buffer.from(bytes).toString()) as object[];
    const old = records.map((record, index) => {
      const given: unknown = value[index]?.lc_kwargs.content;
      return given === value[index]?.content
        ? record
        : { ...record, fields: { lc_kwargs: { content: given } } };
    });
    return [type, Buffer.from(JSON.stringify(old))];
  }
}

function isMessages(value: unknown): value is readonly AIMessage[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => part instanceof AIMessage);
}

function oldMessage({ id, content, lc_kwargs }: AIMessage): unknown {
  if (lc_kwargs.content === content) return extension(EXT.PYDANTIC_V2, pack(model({ id, content })));
  const js = {
    own: ["id", "content"],
    given: ["id", "content"],
    same: {},
    kwargs: { content: lc_kwargs.content as unknown },
  };
  return extension(EXT.PYDANTIC_V2, pack(model({ id, content, lc_js: js })));
}

function model(fields: object): unknown {
  return pythonTuple("langchain_core.messages.ai", "AIMessage", fields, "model_validate_json");
}
