import { useState } from "preact/hooks";
import type { Decision, DecisionType, ReviewedAction } from "../../../../api/runs.js";
import { isObjectOfJson, prettyJson, typedJson } from "../../../parts/json-text.js";
import { sent } from "../../../parts/typed-text.js";

const TITLES: Readonly<Record<DecisionType, string>> = {
  approve: "Approve",
  edit: "Edit",
  reject: "Reject",
  respond: "Respond",
};

/** What a person has chosen for an action so far. */
interface Draft {
  readonly type: DecisionType | undefined;
  readonly args: string;
  readonly message: string;
}

interface DecisionsFormProps {
  readonly actions: readonly ReviewedAction[];
  readonly onDecide: (decisions: readonly Decision[]) => void;
}

/** Asks for a decision about each action. */
export function DecisionsForm({ actions, onDecide }: DecisionsFormProps) {
  const [drafts, setDrafts] = useState<readonly Draft[]>(
    actions.map(({ args, allowed }) => ({
      type: allowed.length === 1 ? allowed[0] : undefined,
      ...{ args: prettyJson(args) ?? args, message: "" },
    })),
  );
  const decisions = drafts.map(decisionOf);
  const problem = decisions.find((decision) => typeof decision === "string");
  const whole = decisions.filter((decision) => typeof decision !== "string");
  return (
    <form
      class="answer-form"
      onSubmit={sent(() => {
        if (problem === undefined) onDecide(whole);
      })}
    >
      {actions.map((action, at) => {
        const draft = drafts[at];
        if (draft === undefined) return null;
        return (
          <ReviewedActionFields
            key={at}
            {...{ action, draft }}
            onChange={(changes) => {
              setDrafts((now) => now.map((each, place) => (place === at ? { ...each, ...changes } : each)));
            }}
          />
        );
      })}
      <div class="action-buttons">
        <button type="submit" class="primary" disabled={problem !== undefined}>
          Send {actions.length === 1 ? "the decision" : "all decisions"}
        </button>
        {problem !== undefined && <span class="dim">{problem}</span>}
      </div>
    </form>
  );
}

interface ReviewedActionFieldsProps {
  readonly action: ReviewedAction;
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}

function ReviewedActionFields({
  action,
  draft: { type, args, message },
  onChange,
}: ReviewedActionFieldsProps) {
  const { name, description, allowed } = action;
  return (
    <fieldset class="answer-action">
      <legend>
        <bdi class="mono">{name}</bdi>
      </legend>
      {description !== undefined && (
        <p class="answer-description">
          <bdi>{description}</bdi>
        </p>
      )}
      {type === "edit" ? (
        <label class="action-field">
          <span>Arguments as JSON</span>
          <textarea
            class="mono"
            rows={6}
            spellcheck={false}
            value={args}
            onInput={({ currentTarget }) => {
              onChange({ args: currentTarget.value });
            }}
          />
        </label>
      ) : (
        <pre class="long-text">
          <bdi>{prettyJson(action.args) ?? action.args}</bdi>
        </pre>
      )}
      <div class="answer-choices" role="radiogroup" aria-label={`Decision about ${name}`}>
        {allowed.map((each) => (
          <label key={each}>
            <input
              type="radio"
              checked={type === each}
              onChange={() => {
                onChange({ type: each });
              }}
            />
            {TITLES[each]}
          </label>
        ))}
      </div>
      {(type === "reject" || type === "respond") && (
        <label class="action-field">
          <span>{type === "reject" ? "Reason (may be empty)" : "Response"}</span>
          <textarea
            rows={2}
            value={message}
            onInput={({ currentTarget }) => {
              onChange({ message: currentTarget.value });
            }}
          />
        </label>
      )}
    </fieldset>
  );
}

/** @returns What is missing or wrong, as text, where there is no decision yet. */
function decisionOf({ type, args, message }: Draft): Decision | string {
  switch (type) {
    case undefined:
      return "Each action needs a decision.";
    case "approve":
      return { type };
    case "edit": {
      const { value, problem } = typedJson(args);
      if (problem !== undefined) return problem;
      return isObjectOfJson(value) ? { type, args: value } : "The arguments must be an object.";
    }
    case "reject":
      return message === "" ? { type } : { type, message };
    case "respond":
      return message === "" ? "A response needs a text." : { type, message };
  }
}
