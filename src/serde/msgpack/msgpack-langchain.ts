import { stringifyJson } from "../json/json-text.js";
import { tableClassOf } from "../json/langchain-table.js";
import { isModelClassName, type ModelClassName } from "../langchain/classes.js";
import { JS_FIELD, messageFields } from "../langchain/message-fields.js";
import { PYTHON_MODULES } from "../langchain/python-modules.js";
import { PYTHON_TYPES } from "../langchain/revive-subclass.js";
import { type PythonOrigin, pythonOriginOf, pythonScalarsOf } from "../python/python-origin.js";
import type { EncodeContext } from "./encode-context.js";
import { pythonTuple, rememberedScalar } from "./encode-origin.js";
import { encodeString } from "./encode-scalars.js";
import { EXT } from "./ext-codes.js";
import { extraSymbol } from "../objects/inspect-object.js";
import { extension } from "./wire.js";

const VALIDATE = "model_validate_json";

/**
 * Encodes a LangChain message or document as the pydantic model of the same name, and a prompt value as LangChain's own record
 * in the layout of the JsonSerializer.
 */
export function encodeLangChain(value: object, context: EncodeContext): unknown {
  const name = tableClassOf(value);
  if (name === undefined) return undefined;
  if (!isModelClassName(name))
    return extension(EXT.LANGCHAIN, Buffer.from(stringifyJson(value, { path: context.path }), "utf8"));
  const symbol = extraSymbol(value);
  if (symbol !== undefined) return context.fail(`a property named by a symbol, ${symbol}, can't be stored`);
  const fields = context.within(value, () =>
    name === "Document" ? encodeDocument(value, context) : encodeMessage(value, name, context),
  );
  const origin = pythonOriginOf(value);
  if (origin !== undefined && name !== "Document")
    return context.extension(origin.code, subclassTuple(name, fields, origin));
  return context.extension(EXT.PYDANTIC_V2, pythonTuple(PYTHON_MODULES[name], name, fields, VALIDATE));
}

/**
 * The payload of a message whose class in Python extends the class `name`. Python ignores that name, which is for JavaScript. Where Python
 * may not import the class, it reads the fields as a dict, and LangChain makes a message of that by its type.
 */
function subclassTuple(
  name: keyof typeof PYTHON_TYPES,
  fields: ReadonlyMap<unknown, unknown>,
  { module, name: own, method = VALIDATE }: PythonOrigin,
): unknown[] {
  const typed = new Map([...fields, ["type", PYTHON_TYPES[name]]]);
  return [...pythonTuple(module, own, typed, method), name];
}

function encodeMessage(message: object, name: ModelClassName, context: EncodeContext): Map<unknown, unknown> {
  const { fields, js } = messageFields(message, name);
  const scalars = pythonScalarsOf(message);
  const encoded = new Map<unknown, unknown>();
  context.inMessage(() => {
    for (const [key, part] of fields)
      encoded.set(encodeString(key), rememberedScalar(scalars, key, part) ?? context.at(key, part));
    if (js !== undefined) encoded.set(JS_FIELD, context.at(JS_FIELD, js));
  });
  return encoded;
}

const PYTHON_DOCUMENT_FIELDS: Readonly<Record<string, string>> = {
  pageContent: "page_content",
  metadata: "metadata",
  id: "id",
};

/** Other properties, such as a score, are for JavaScript. Python ignores them. */
function encodeDocument(document: object, context: EncodeContext): Map<unknown, unknown> {
  const encoded = new Map<unknown, unknown>();
  const others = new Map<unknown, unknown>();
  for (const [key, part] of Object.entries(document)) {
    const field = Object.hasOwn(PYTHON_DOCUMENT_FIELDS, key) ? PYTHON_DOCUMENT_FIELDS[key] : undefined;
    if (field === undefined) others.set(encodeString(key), context.at(key, part));
    else if (part !== undefined || key !== "id") encoded.set(field, context.at(key, part));
  }
  if (others.size > 0) encoded.set(JS_FIELD, [...others].flat());
  return encoded;
}
