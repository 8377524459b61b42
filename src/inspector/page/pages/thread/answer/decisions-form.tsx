import { useState } from "preact/hooks";
import type { Decision, QuestionForm } from "../../../../api/runs.js";
import { countText } from "../../../parts/number-texts.js";
import { sent } from "../../../parts/typed-text.js";
import { type Draft, decisionOf, draftOf, ReviewedCall } from "./reviewed-call.js";

interface DecisionsFormProps {
  readonly form: Extract<QuestionForm, { readonly kind: "decisions" }>;
  readonly onDecide: (decisions: readonly Decision[]) => void;
}

/** Asks for a decision about each call. One click decides, and nothing is sent before the other one. */
export function DecisionsForm({ form: { actions, rejectionStopsAll }, onDecide }: DecisionsFormProps) {
  const [drafts, setDrafts] = useState<readonly Draft[]>(actions.map(draftOf));
  const decisions = actions.map((action, at) => decisionOf(action, drafts[at] ?? draftOf(action)));
  const whole = decisions.filter((decision) => typeof decision === "object");
  const problem = decisions.find((decision) => typeof decision === "string");
  const isOpen = (at: number): boolean => drafts[at]?.type === undefined;
  const open = actions.filter((_, at) => isOpen(at));
  const canApprove = open.length < actions.length && open.every(({ allowed }) => allowed.includes("approve"));
  const stops = rejectionStopsAll === true && drafts.some(({ type }) => type === "reject");
  return (
    <form
      class="answer-form"
      onSubmit={sent(() => {
        if (whole.length === actions.length) onDecide(whole);
      })}
    >
      {actions.map((action, at) => {
        const draft = drafts[at];
        return draft === undefined ? null : (
          <ReviewedCall
            key={at}
            {...{ action, draft }}
            onChange={(changes) => {
              setDrafts((now) => now.map((each, place) => (place === at ? { ...each, ...changes } : each)));
            }}
          />
        );
      })}
      <div class="answer-send">
        {stops && (
          <p class="answer-warning" role="status">
            {actions.length === 1
              ? "The call does not run, and nothing else that the model called in the same message. The model is asked again, with your reason."
              : "The rejection stops all of them: the agent drops the calls that you approve or edit beside it, and runs none. The model is asked again, with your reason."}
          </p>
        )}
        <button type="submit" class="primary" disabled={whole.length < actions.length}>
          {actions.length === 1 ? "Send the decision" : "Send all decisions"}
        </button>
        {open.length > 1 && canApprove && (
          <button
            type="button"
            onClick={() => {
              setDrafts((now) =>
                now.map((each) => (each.type === undefined ? { ...each, type: "approve" } : each)),
              );
            }}
          >
            Approve the other {open.length}
          </button>
        )}
        {open.length > 0 && (
          <span class="dim">
            {actions.length === 1
              ? "Decide first."
              : `${countText(open.length, "call needs", "calls need")} a decision.`}
          </span>
        )}
        {problem !== undefined && (
          <span class="answer-problem" role="status">
            <bdi>{problem}</bdi>
          </span>
        )}
      </div>
    </form>
  );
}
