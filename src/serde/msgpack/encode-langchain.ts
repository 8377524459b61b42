import { langChainClassOf, JS_FIELD, messageFields } from "../langchain/message-fields.js";
import { toLangChainRecord } from "../langchain/constructor-record.js";
import { PYTHON_MODULES } from "../langchain/python-modules.js";
import type { EncodeContext } from "./encode-context.js";
import { pythonTuple } from "./encode-origin.js";
import { encodeString } from "./encode-scalars.js";
import { EXT } from "./ext-codes.js";
import { extension, type Wire } from "./wire.js";

const VALIDATE = "model_validate_json";

/** A LangChain message or document, as the pydantic model of the same name. */
export function encodeLangChain(value: object, context: EncodeContext): unknown {
  const name = langChainClassOf(value);
  if (name === undefined) return undefined;
  const fields = context.within(value, () =>
    name === "Document" ? encodeDocument(value, context) : encodeMessage(value, context),
  );
  return context.extension(EXT.PYDANTIC_V2, pythonTuple(PYTHON_MODULES[name], name, fields, VALIDATE));
}

function encodeMessage(message: object, context: EncodeContext): Map<unknown, unknown> {
  const { fields, js } = messageFields(message);
  const encoded = new Map<unknown, unknown>();
  for (const [key, part] of fields) encoded.set(encodeString(key), context.at(key, part));
  if (js !== undefined) encoded.set(JS_FIELD, context.at(JS_FIELD, js));
  return encoded;
}

const PYTHON_DOCUMENT_FIELDS: Readonly<Record<string, string>> = {
  pageContent: "page_content",
  metadata: "metadata",
  id: "id",
};

function encodeDocument(document: object, context: EncodeContext): Map<unknown, unknown> {
  const encoded = new Map<unknown, unknown>();
  for (const [key, part] of Object.entries(document)) {
    const field = PYTHON_DOCUMENT_FIELDS[key];
    if (field === undefined) return context.fail(`a Document with the property "${key}" can't be stored`);
    if (part !== undefined) encoded.set(field, context.at(key, part));
  }
  return encoded;
}

/** Any other LangChain object that says how it is made again, such as a prompt. */
export function encodeSerializable(value: object, context: EncodeContext): Wire | undefined {
  const record = toLangChainRecord(value);
  if (record === undefined) return undefined;
  if ("problem" in record) return context.fail(record.problem);
  return extension(EXT.LANGCHAIN, Buffer.from(record.text, "utf8"));
}
