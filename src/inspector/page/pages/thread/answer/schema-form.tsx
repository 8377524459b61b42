import { useState } from "preact/hooks";
import { isObjectOfJson, type Typed, typedJson } from "../../../parts/json-text.js";
import { sent, typed } from "../../../parts/typed-text.js";

/** A field of a form. */
interface SchemaField {
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
/** The most values to choose from. Where there are more, a person writes one. */
const MAX_CHOICES = 500;

/** Returns the fields for a JSON Schema; `undefined` where a form can't show what it asks for. */
export function formFieldsOf(schema: Readonly<Record<string, unknown>>): readonly SchemaField[] | undefined {
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

function fieldOf(
  name: string | undefined,
  schema: Readonly<Record<string, unknown>>,
  isRequired: boolean,
): SchemaField {
  const { type, title, description, enum: values, default: given } = schema;
  const input =
    type === "string"
      ? "text"
      : type === "number" || type === "integer"
        ? "number"
        : type === "boolean"
          ? type
          : "json";
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
          : JSON.stringify(given),
  };
}

interface SchemaFormProps {
  readonly fields: readonly SchemaField[];
  readonly onAnswer: (value: unknown) => void;
}

/** Asks for a value by the fields of its schema. The server checks it by the schema itself. */
export function SchemaForm({ fields, onAnswer }: SchemaFormProps) {
  const [texts, setTexts] = useState<readonly string[]>(fields.map(({ initial }) => initial));
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
      {fields.map((field, at) => (
        <Field
          key={field.name ?? ""}
          {...{ field }}
          text={texts[at] ?? ""}
          onChange={(text) => {
            setTexts((now) => now.map((each, place) => (place === at ? text : each)));
            setProblem("");
          }}
        />
      ))}
      {problem !== "" && (
        <p class="answer-problem" role="status">
          {problem}
        </p>
      )}
      <div class="action-buttons">
        <button type="submit" class="primary">
          Send the answer
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly field: SchemaField;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Field({ field: { title, description, input, choices, isRequired }, text, onChange }: FieldProps) {
  const options = choices ?? (input === "boolean" ? ["true", "false"] : undefined);
  return (
    <label class="action-field">
      <span>
        <bdi>{title}</bdi>
        {!isRequired && <span class="dim"> (may be empty)</span>}
      </span>
      {options !== undefined ? (
        <select value={text} onChange={typed(onChange)}>
          <option value="">choose…</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : input === "json" ? (
        <textarea
          class="mono"
          rows={3}
          spellcheck={false}
          placeholder="JSON"
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

function valueOf(fields: readonly SchemaField[], texts: readonly string[]): Typed<unknown> {
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
