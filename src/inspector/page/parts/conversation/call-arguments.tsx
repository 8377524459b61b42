import type { ToolCallView } from "../../../api/checkpoints.js";
import { FoldedValue } from "./folded-value.js";
import { parseExactly, prettyJson } from "./pretty-json.js";
import { type ShownConversation, valueOf } from "./use-message.js";

interface CallArgumentsProps {
  readonly conversation: ShownConversation;
  readonly call: ToolCallView;
  readonly isSource: boolean;
}

/** The arguments of a call by name, so that a text such as a query keeps its line breaks. What is no object is shown as it is. */
export function CallArguments({ conversation, call: { args, isCut, path }, isSource }: CallArgumentsProps) {
  const values = isSource || isCut ? undefined : parseExactly(args);
  const entries = values === undefined || Array.isArray(values) ? [] : Object.entries<unknown>({ ...values });
  if (entries.length > 0) {
    return (
      <dl class="call-arguments">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>
              <bdi class="mono">{name}</bdi>
            </dt>
            <dd>
              <pre class="long-text">
                <bdi>{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</bdi>
              </pre>
            </dd>
          </div>
        ))}
      </dl>
    );
  }
  return (
    <>
      <pre class="long-text">
        <bdi>{isSource ? args : (prettyJson(args) ?? args)}</bdi>
        {isCut && "…"}
      </pre>
      {isCut && path !== undefined && (
        <FoldedValue place={valueOf(conversation)} label="arguments" path={path}>
          All arguments
        </FoldedValue>
      )}
    </>
  );
}
