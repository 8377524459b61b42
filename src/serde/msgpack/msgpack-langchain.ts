import { refuseSymbols, type EncodeContext, pythonTuple, rememberedScalar } from "./encode-context.js";
import {
  DOCUMENT_FIELDS,
  tableClassOf,
  isModelClassName,
  type ModelClassName,
  PYTHON_MODELS,
} from "../langchain/classes.js";
import { stringifyJson } from "../json/json-text.js";
import { JS_FIELD, messageFields } from "../langchain/messages.js";
import { type PythonOrigin, pythonOriginOf, pythonScalarsOf } from "../python/python-origin.js";
import { encodeString, extension } from "./wire.js";
import { EXT } from "./ext-codes.js";

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
  refuseSymbols(value, context);
  const fields = context.within(value, () =>
    name === "Document" ? encodeDocument(value, context) : encodeMessage(value, name, context),
  );
  const origin = pythonOriginOf(value);
  if (origin !== undefined && name !== "Document")
    return context.extension(origin.code, subclassTuple(name, fields, origin));
  return context.extension(EXT.PYDANTIC_V2, pythonTuple(PYTHON_MODELS[name].module, name, fields, VALIDATE));
}

/**
 * The payload of a message whose class in Python extends the class `name`. Python ignores that name, which is for JavaScript. Where Python
 * may not import the class, it reads the fields as a dict, and LangChain makes a message of that by its type.
 */
function subclassTuple(
  name: ModelClassName,
  fields: ReadonlyMap<unknown, unknown>,
  { module, name: own, method = VALIDATE }: PythonOrigin,
): unknown[] {
  const typed = new Map([...fields, ["type", PYTHON_MODELS[name].type]]);
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

/** Other properties, such as a score, are for JavaScript. Python ignores them. */
function encodeDocument(document: object, context: EncodeContext): Map<unknown, unknown> {
  const encoded = new Map<unknown, unknown>();
  const others = new Map<unknown, unknown>();
  for (const [key, part] of Object.entries(document)) {
    const field = Object.hasOwn(DOCUMENT_FIELDS, key) ? DOCUMENT_FIELDS[key] : undefined;
    if (field === undefined) others.set(encodeString(key), context.at(key, part));
    else if (part !== undefined || key !== "id") encoded.set(field, context.at(key, part));
  }
  if (others.size > 0) encoded.set(JS_FIELD, [...others].flat());
  return encoded;
}
