import type { HITLRequest, HITLResponse } from "langchain";
import { useState } from "react";

type Decision = HITLResponse["decisions"][number];

interface Props {
  readonly request: HITLRequest;
  readonly onAnswer: (response: HITLResponse) => void;
}

/** Asks about each call of a tool that needs a person. The answer is sent with the last decision. */
export function Approval({ request: { actionRequests }, onAnswer }: Props) {
  const [decisions, setDecisions] = useState<readonly (Decision | undefined)[]>([]);
  const decide = (at: number, type: "approve" | "reject"): void => {
    const next = actionRequests.map((_, index) => (index === at ? { type } : decisions[index]));
    setDecisions(next);
    const made = next.filter((decision) => decision !== undefined);
    if (made.length === actionRequests.length) onAnswer({ decisions: made });
  };
  return actionRequests.map(({ name, args }, at) => (
    <section key={at} className="approval" aria-label={`May I call ${name}?`}>
      <h2>May I call {name}?</h2>
      <dl>
        {Object.entries(args).map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      {(["approve", "reject"] as const).map((type) => (
        <button
          key={type}
          aria-pressed={decisions[at]?.type === type}
          onClick={() => {
            decide(at, type);
          }}
        >
          {type === "approve" ? "Approve" : "Reject"}
        </button>
      ))}
    </section>
  ));
}
