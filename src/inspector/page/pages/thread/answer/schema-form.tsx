import { useState } from "preact/hooks";
import { isObjectOfJson, type Typed, typedJson } from "../../../parts/json-text.js";
import { sent, typed } from "../../../parts/typed-text.js";

type Schema = Readonly<Record<string, unknown>>;

/** A field of a form. */
export interface SchemaField {
  /** The property; `undefined` where the schema is of one value. */
  readonly name: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly input: "text" | "number" | "boolean" | "json";
  /** The values to choose from, as JSON. */
  readonly choices: readonly string[] | undefined;
  readonly isRequired: boolean;
  /** As a person would type it. */
  readonly initial: string;
}

const MAX_FIELDS = 100;
/** A text that is longer at first, or has several lines, gets an area. */
const MAX_LINE = 60;
const MOST_ROWS = 10;
/** The most values to choose from. Where there are more, a person writes one. */
const MAX_CHOICES = 500;

/** Returns the fields for a JSON Schema; `undefined` where a form can't show what it asks for. */
export function formFieldsOf(schema: Schema): readonly SchemaField[] | undefined {
  const { properties, required } = schema;
  if (!isObjectOfJson(properties)) {
    const field = fieldOf(undefined, schema, true);
    return field.input === "json" && field.choices === undefined ? undefined : [field];
  }
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const entries = Object.entries(properties);
  if (entries.length === 0 || entries.length > MAX_FIELDS) return undefined;
  return entries.map(([name, each]) => fieldOf(name, isObjectOfJson(each) ? each : {}, names.includes(name)));
}

/**
 * Returns the fields to edit the arguments of a call: by their schema, where that is known and fits them, and by their types. `undefined` where
 * there are none, or too many.
 */
export function argumentFieldsOf(args: Schema, schema: Schema = {}): readonly SchemaField[] | undefined {
  const { properties: described, required: named = [] } = schema;
  const properties = isObjectOfJson(described) ? described : {};
  const required: readonly unknown[] =
    isObjectOfJson(described) && Array.isArray(named) ? named : Object.keys(args);
  const names = [...new Set([...Object.keys(args), ...Object.keys(properties)])];
  if (names.length === 0 || names.length > MAX_FIELDS) return undefined;
  return names.map((name) => {
    const [property, value] = [properties, args].map((each) =>
      Object.hasOwn(each, name) ? each[name] : undefined,
    );
    const isRequired = required.includes(name);
    const { default: _default, ...shape } = isObjectOfJson(property) ? property : {};
    if (value === undefined) return fieldOf(name, shape, isRequired);
    const field = fieldOf(name, { ...shape, default: value }, isRequired);
    const isFitting = field.choices?.includes(JSON.stringify(value)) ?? field.input === inputOf(typeof value);
    if (isFitting) return field;
    const { enum: _values, ...free } = shape;
    return fieldOf(name, { ...free, type: typeof value, default: value }, isRequired);
  });
}

function inputOf(type: unknown): SchemaField["input"] {
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  return type === "boolean" ? type : "json";
}

function fieldOf(name: string | undefined, schema: Schema, isRequired: boolean): SchemaField {
  const { type, title, description, enum: values, default: given } = schema;
  const input = inputOf(type);
  const choices: readonly unknown[] | undefined =
    Array.isArray(values) && values.length <= MAX_CHOICES ? values : undefined;
  return {
    name,
    title: typeof title === "string" ? title : (name ?? "Your answer"),
    description: typeof description === "string" ? description : "",
    input,
    choices: choices?.map((value) => JSON.stringify(value)),
    isRequired,
    initial:
      given === undefined
        ? ""
        : input === "text" && choices === undefined
          ? typeof given === "string"
            ? given
            : ""
          : JSON.stringify(given, null, input === "json" && choices === undefined ? 2 : undefined),
  };
}

interface SchemaFormProps {
  readonly fields: readonly SchemaField[];
  readonly onAnswer: (value: unknown) => void;
}

/** Asks for a value by the fields of its schema. The server checks it by the schema itself. */
export function SchemaForm({ fields, onAnswer }: SchemaFormProps) {
  const [texts, setTexts] = useState<readonly string[]>(textsOfFields(fields));
  const [problem, setProblem] = useState("");
  return (
    <form
      class="answer-form"
      onSubmit={sent(() => {
        const { value, problem: found } = valueOf(fields, texts);
        if (found === undefined) onAnswer(value);
        else setProblem(found);
      })}
    >
      <Fields
        {...{ fields, texts }}
        onChange={(changed) => {
          setTexts(changed);
          setProblem("");
        }}
      />
      <div class="answer-send">
        <button type="submit" class="primary">
          Send the answer
        </button>
        {problem !== "" && (
          <p class="answer-problem" role="status">
            {problem}
          </p>
        )}
      </div>
    </form>
  );
}

/** What the fields say before a person changes them. */
export function textsOfFields(fields: readonly SchemaField[]): readonly string[] {
  return fields.map(({ initial }) => initial);
}

interface FieldsProps {
  readonly fields: readonly SchemaField[];
  readonly texts: readonly string[];
  readonly onChange: (texts: readonly string[]) => void;
}

export function Fields({ fields, texts, onChange }: FieldsProps) {
  return (
    <div class="answer-fields">
      {fields.map((field, at) => (
        <Field
          key={field.name ?? ""}
          {...{ field }}
          text={texts[at] ?? ""}
          onChange={(text) => {
            onChange(texts.map((each, place) => (place === at ? text : each)));
          }}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly field: SchemaField;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Field({ field, text, onChange }: FieldProps) {
  const { title, description, input, choices, isRequired, initial } = field;
  const options = choices ?? (input === "boolean" ? ["true", "false"] : undefined);
  const isLong =
    input === "json" || (input === "text" && (initial.length > MAX_LINE || initial.includes("\n")));
  return (
    <label class={isLong ? "action-field answer-long" : "action-field"}>
      <span>
        <bdi>{title}</bdi>
        {!isRequired && <span class="dim"> (may be empty)</span>}
      </span>
      {options !== undefined ? (
        <select value={text} onChange={typed(onChange)}>
          <option value="">choose…</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {choiceText(option)}
            </option>
          ))}
        </select>
      ) : isLong ? (
        <textarea
          class={input === "json" ? "mono" : ""}
          rows={Math.min(MOST_ROWS, Math.max(2, initial.split("\n").length))}
          spellcheck={input !== "json"}
          placeholder={input === "json" ? "JSON" : undefined}
          value={text}
          onInput={typed(onChange)}
        />
      ) : (
        <input
          type={input}
          step={input === "number" ? "any" : undefined}
          value={text}
          onInput={typed(onChange)}
        />
      )}
      {description !== "" && (
        <span class="dim">
          <bdi>{description}</bdi>
        </span>
      )}
    </label>
  );
}

/** A text without its quotes, unless it would look like another value then. */
function choiceText(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" && typedJson(value).problem !== undefined && value !== "" ? value : json;
}

/** Reads what the fields say, or says what is missing or wrong. */
export function valueOf(fields: readonly SchemaField[], texts: readonly string[]): Typed<unknown> {
  const parts: [string | undefined, unknown][] = [];
  for (const [at, field] of fields.entries()) {
    const text = texts[at] ?? "";
    if (text === "" && !(field.isRequired && field.input === "text" && field.choices === undefined)) {
      if (field.isRequired) return { problem: `${field.title} is missing.` };
      continue;
    }
    // A text is what it says, unless it is chosen.
    const isText = field.input === "text" && field.choices === undefined;
    const parsed: Typed<unknown> = isText ? { value: text } : typedJson(text);
    if (parsed.problem !== undefined) return { problem: `${field.title}: ${parsed.problem}` };
    parts.push([field.name, parsed.value]);
  }
  const isOne = fields.length === 1 && fields[0]?.name === undefined;
  return { value: isOne ? parts[0]?.[1] : Object.fromEntries(parts) };
}
