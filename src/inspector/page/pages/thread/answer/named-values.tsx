import { exactObject, prettyJson } from "../../../parts/json-text.js";

/** An object in JSON as its values by name, or as it is where reading it would lose something. */
export function NamedValues({ json }: { readonly json: string }) {
  const given = exactObject(json);
  if (given === undefined) {
    return (
      <pre class="long-text">
        <bdi>{prettyJson(json) ?? json}</bdi>
      </pre>
    );
  }
  const entries = Object.entries(given);
  return entries.length === 0 ? (
    <p class="dim">Without arguments</p>
  ) : (
    <dl class="answer-values">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{textOf(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The most characters of JSON that stay in a line. */
const MAX_LINE = 60;

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const line = JSON.stringify(value);
  return line.length > MAX_LINE ? JSON.stringify(value, null, 2) : line;
}
