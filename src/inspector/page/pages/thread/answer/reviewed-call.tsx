import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Decision, DecisionType, ReviewedAction } from "../../../../api/runs.js";
import { exactObject, isObjectOfJson, typedJson } from "../../../parts/json-text.js";
import { typed } from "../../../parts/typed-text.js";
import { NamedValues } from "./named-values.js";
import { argumentFieldsOf, Fields, type SchemaField, textsOfFields, valueOf } from "./schema-form.js";

const TITLES: Readonly<Record<DecisionType, string>> = {
  approve: "Approve",
  edit: "Edit",
  reject: "Reject",
  respond: "Respond",
};

/** What a person has chosen for a call so far. */
export interface Draft {
  readonly type: DecisionType | undefined;
  /** What the fields for the arguments say; the arguments as JSON where there are no fields. */
  readonly texts: readonly string[];
  readonly message: string;
}

/** Nothing is chosen, unless nothing else is allowed. */
export function draftOf(action: ReviewedAction): Draft {
  const { allowed, args } = action;
  const fields = fieldsOf(action);
  return {
    type: allowed.length === 1 ? allowed[0] : undefined,
    texts: fields === undefined ? [args] : textsOfFields(fields),
    message: "",
  };
}

/** @returns `undefined` where nothing is chosen, or as a text what is missing or wrong. */
export function decisionOf(
  action: ReviewedAction,
  { type, texts, message }: Draft,
): Decision | string | undefined {
  switch (type) {
    case undefined:
      return undefined;
    case "approve":
      return { type };
    case "edit": {
      const fields = fieldsOf(action);
      const { value, problem } = fields === undefined ? typedJson(texts[0] ?? "") : valueOf(fields, texts);
      if (problem !== undefined) return problem;
      return isObjectOfJson(value) ? { type, args: value } : "The arguments must be an object.";
    }
    case "reject":
      return message === "" ? { type } : { type, message };
    case "respond":
      return message === "" ? "A response needs a text." : { type, message };
  }
}

function fieldsOf({ args, schema }: ReviewedAction): readonly SchemaField[] | undefined {
  const given = exactObject(args);
  return given === undefined ? undefined : argumentFieldsOf(given, schema);
}

interface ReviewedCallProps {
  readonly action: ReviewedAction;
  /** Absent for a person who may only read. */
  readonly draft?: Draft;
  readonly onChange?: (changes: Partial<Draft>) => void;
}

/** A call with its arguments, which become fields where a person edits it. */
export function ReviewedCall({ action, draft, onChange = () => undefined }: ReviewedCallProps) {
  const { name, description, allowed } = action;
  const { type, texts = [], message = "" } = draft ?? {};
  const group = useId();
  const body = useRef<HTMLDivElement>(null);
  const isClicked = useRef(false);
  useLayoutEffect(() => {
    // Before the next key. Who chooses by the arrow keys may want the next choice.
    if (isClicked.current) body.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
    isClicked.current = false;
  }, [type]);
  const fields = type === "edit" ? fieldsOf(action) : undefined;
  return (
    <div class="answer-call" role="group" aria-labelledby={`${group}-name`}>
      <div class="answer-call-head">
        <h3 id={`${group}-name`}>
          <bdi class="mono">{name}</bdi>
        </h3>
        {draft !== undefined && (
          <div
            class="answer-choices"
            role="radiogroup"
            aria-label={`Decision about ${name}`}
            onPointerDown={() => {
              isClicked.current = true;
            }}
            onKeyDown={() => {
              isClicked.current = false;
            }}
          >
            {allowed.map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name={group}
                  checked={type === each}
                  onChange={() => {
                    onChange({ type: each });
                  }}
                />
                {TITLES[each]}
              </label>
            ))}
          </div>
        )}
      </div>
      {description !== undefined && (
        <p class="answer-description">
          <bdi>{description}</bdi>
        </p>
      )}
      <div ref={body}>
        {type !== "edit" && <NamedValues json={action.args} />}
        {fields !== undefined && (
          <Fields
            {...{ fields, texts }}
            onChange={(changed) => {
              onChange({ texts: changed });
            }}
          />
        )}
        {type === "edit" && fields === undefined && (
          <label class="action-field">
            <span>Arguments as JSON</span>
            <textarea
              class="mono"
              rows={4}
              spellcheck={false}
              value={texts[0] ?? ""}
              onInput={typed((text) => {
                onChange({ texts: [text] });
              })}
            />
          </label>
        )}
        {(type === "reject" || type === "respond") && (
          <label class="answer-message">
            <span>{type === "reject" ? "Reason (may be empty)" : "Response"}</span>
            <textarea
              rows={1}
              value={message}
              onInput={typed((text) => {
                onChange({ message: text });
              })}
            />
          </label>
        )}
      </div>
    </div>
  );
}
