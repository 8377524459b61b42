import type { MessageView } from "../../../api/checkpoints.js";
import { counted, formatCount } from "../number-texts.js";

/** The model that wrote a message, and the tokens that it took. */
export function MessageFacts({ message: { model, usage = {} } }: { readonly message: MessageView }) {
  const { input, output, cacheRead, cacheWritten, reasoning } = usage;
  const details = [
    cacheRead && `${formatCount(cacheRead)} from the cache`,
    cacheWritten && `${formatCount(cacheWritten)} into the cache`,
  ].filter(Boolean);
  const tokens = [
    input !== undefined && withDetails(`${counted(input, "token")} in`, details),
    output !== undefined &&
      withDetails(`${formatCount(output)} out`, reasoning ? [`${formatCount(reasoning)} for reasoning`] : []),
  ].filter(Boolean);
  if (model === undefined && tokens.length === 0) return null;
  return (
    <p class="message-facts dim">
      {model !== undefined && <bdi>{model}</bdi>}
      {model !== undefined && tokens.length > 0 && " · "}
      {tokens.join(" · ")}
    </p>
  );
}

function withDetails(text: string, details: readonly unknown[]): string {
  return details.length === 0 ? text : `${text} (${details.join(", ")})`;
}
