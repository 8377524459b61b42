import { useState } from "preact/hooks";
import type { Answer, Question } from "../../../../api/runs.js";
import { DecisionsForm } from "./decisions-form.js";
import { FreeForm } from "./free-form.js";
import { fieldsOf, SchemaForm } from "./schema-form.js";

interface QuestionAnswerProps {
  readonly question: Question;
  readonly title: string;
  readonly onAnswer: (answer: Answer) => void;
}

/** Asks for the answer to a question: by its form, or by any JSON value where the question does not ask for decisions. */
export function QuestionAnswer({ question: { key, form, text }, title, onAnswer }: QuestionAnswerProps) {
  const [isFree, setFree] = useState(false);
  const fields = form.kind === "schema" ? fieldsOf(form.schema) : undefined;
  const answerWith = (value: unknown): void => {
    onAnswer({ key, value });
  };
  return (
    <div class="answer" role="group" aria-label={`${title}: ${text.slice(0, 80)}`}>
      <h3>{title}</h3>
      {form.kind === "decisions" ? (
        <DecisionsForm
          actions={form.actions}
          onDecide={(decisions) => {
            onAnswer({ key, decisions });
          }}
        />
      ) : fields !== undefined && !isFree ? (
        <SchemaForm fields={fields} onAnswer={answerWith} />
      ) : (
        <FreeForm onAnswer={answerWith} />
      )}
      {fields !== undefined && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            setFree(!isFree);
          }}
        >
          {isFree ? "Use the form" : "Answer with any JSON value"}
        </button>
      )}
    </div>
  );
}
