import { useId, useState } from "preact/hooks";
import { useRead } from "../../server/use-read.js";
import { pairText } from "./typed-search.js";
import { sent, typed } from "../../parts/typed-text.js";
import type { ThreadsQuery } from "../../../api/threads.js";

interface ThreadsFormProps {
  readonly search: string;
  /** Why the search can't be used. */
  readonly problem: string | undefined;
  readonly onSearch: (search: string) => void;
}

/** Asks which threads to find. A search reads values, so it waits for Enter, or until the person goes elsewhere. */
export function ThreadsForm({ search, problem, onSearch }: ThreadsFormProps) {
  // Another search of the address replaces what was typed.
  const [draft, setDraft] = useState({ search, text: search });
  const text = draft.search === search ? draft.text : search;
  const [problemId, suggestionsId] = [useId(), useId()];
  const { data } = useRead("metadataSuggestions", {});
  const suggestions = (data?.suggestions ?? []).flatMap(({ name, values }) =>
    values.flatMap((value) => pairText(name, value) ?? []),
  );
  const submit = (): void => {
    if (text !== search) onSearch(text);
  };
  return (
    <form class="threads-form" role="search" onSubmit={sent(submit)}>
      <input
        type="search"
        aria-label="Find threads"
        placeholder="Id, words, e-mail, or user=ada"
        title="Words in any order, in ids, metadata, messages and values; “in quotes” as they are. Or metadata: user=ada, or JSON"
        enterKeyHint="search"
        spellcheck={false}
        list={suggestionsId}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={problemId}
        onInput={typed((value) => {
          setDraft({ search, text: value });
          if (value === "") onSearch("");
        })}
        // Preact takes `onChange` of a field for `onInput`.
        onBlur={submit}
      />
      <datalist id={suggestionsId}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <button type="submit">Find</button>
      <p id={problemId} class="threads-problem" role="status">
        {problem}
      </p>
    </form>
  );
}

/** How long ago a thread was active, by the names in the address. */
const PERIODS: Readonly<Record<string, readonly [text: string, ms: number]>> = {
  "1h": ["an hour", 3_600_000],
  "1d": ["a day", 86_400_000],
  "7d": ["a week", 604_800_000],
  "30d": ["30 days", 2_592_000_000],
};

/** The parameters of the address that say when a thread was active: one of `active` and `idle`, or `from` and `to`. */
type ActivityParams = Readonly<Record<"active" | "idle" | "from" | "to", string>>;

/** Returns the times of the last activity that the address asks for. */
export function activityOf({
  active,
  idle,
  from,
  to,
}: ActivityParams): Pick<ThreadsQuery, "before" | "since"> {
  const [within, without] = [PERIODS[active], PERIODS[idle]];
  const since = within === undefined ? timeOf(from) : Date.now() - within[1];
  const before = without === undefined ? timeOf(to) : Date.now() - without[1];
  return { ...(since !== undefined && { since }), ...(before !== undefined && { before }) };
}

/** The time of a local date, such as `2026-11-28T18:30`. */
function timeOf(text: string): number | undefined {
  const time = new Date(text).getTime();
  return Number.isNaN(time) || time < 0 ? undefined : time;
}

interface ActivityChoiceProps {
  readonly params: ActivityParams;
  readonly onChange: (params: ActivityParams) => void;
}

const NONE: ActivityParams = { active: "", idle: "", from: "", to: "" };
const BETWEEN = "between";

/** Asks when the threads were active for the last time. */
export function ActivityChoice({ params, onChange }: ActivityChoiceProps) {
  const { active, idle, from, to } = params;
  const isBetween = from !== "" || to !== "";
  const chosen = isBetween ? BETWEEN : active !== "" ? `active ${active}` : idle !== "" ? `idle ${idle}` : "";
  const periods = (kind: "active" | "idle", text: string) =>
    Object.entries(PERIODS).map(([name, [period]]) => (
      <option key={name} value={`${kind} ${name}`}>
        {text} {period}
      </option>
    ));
  return (
    <div class="threads-activity">
      <label>
        <span class="dim">Last activity</span>
        <select
          value={chosen}
          onChange={({ currentTarget: { value } }) => {
            const [kind, name = ""] = value.split(" ");
            if (kind === BETWEEN) onChange({ ...NONE, from: localText(Date.now() - 86_400_000) });
            else
              onChange({
                ...NONE,
                ...(kind === "active" && { active: name }),
                ...(kind === "idle" && { idle: name }),
              });
          }}
        >
          <option value="">at any time</option>
          {periods("active", "within")}
          {periods("idle", "not within")}
          <option value={BETWEEN}>between…</option>
        </select>
      </label>
      {isBetween && (
        <>
          <TimeField
            label="From"
            value={from}
            onChange={(time) => {
              onChange({ ...NONE, from: time, to });
            }}
          />
          <TimeField
            label="To"
            value={to}
            onChange={(time) => {
              onChange({ ...NONE, from, to: time });
            }}
          />
        </>
      )}
    </div>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (time: string) => void;
}

function TimeField({ label, value, onChange }: TimeFieldProps) {
  return (
    <label>
      <span class="dim">{label}</span>
      <input type="datetime-local" value={value} onChange={typed(onChange)} />
    </label>
  );
}

/** A time as the input has it: in the local zone, without seconds. */
function localText(time: number): string {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
