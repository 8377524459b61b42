import type { HealthFinding, HealthView } from "../../../api/health-view.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { countText } from "../../parts/number-texts.js";
import { Time } from "../../parts/time.js";
import { useRead } from "../../server/use-read.js";
import "./health.css";

/** The words for the states of findings, with a sign that needs no colour. */
const STATES = {
  error: ["✗", "Error"],
  warning: ["!", "Warning"],
  unknown: ["?", "Unknown"],
  ok: ["✓", "OK"],
} as const;

/** What the checks of the database have found. */
export function HealthPage() {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useRead("health", {});
  return (
    <div class="health">
      <div class="health-head">
        <h1>Health</h1>
        <p class="health-refresh">
          {dataUpdatedAt > 0 && (
            <span class="dim">
              Checked <Time at={dataUpdatedAt} />
            </span>
          )}
          <button type="button" disabled={isFetching} onClick={() => void refetch()}>
            {isFetching ? "Checking…" : "Check again"}
          </button>
        </p>
      </div>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Loading what="the findings" />}
      {data !== undefined && (
        <>
          <p role="status">
            {summaryOf(data.findings)}. The database answered in {data.latencyMs.toFixed(1)} ms
            {data.serverVersion !== undefined && <>; PostgreSQL {data.serverVersion}</>}.
          </p>
          {data.pool !== undefined && <PoolMeter pool={data.pool} />}
          <h2>Findings</h2>
          <Findings findings={data.findings.filter(({ state }) => state !== "ok")} />
          <Fine findings={data.findings.filter(({ state }) => state === "ok")} />
          <Migrations migrations={data.migrations} />
        </>
      )}
    </div>
  );
}

function Findings({ findings }: { readonly findings: readonly HealthFinding[] }) {
  return (
    <ul class="findings">
      {findings.map((finding, index) => (
        <Finding key={index} finding={finding} />
      ))}
    </ul>
  );
}

/** What needs nobody's attention. */
function Fine({ findings }: { readonly findings: readonly HealthFinding[] }) {
  return (
    <details class="findings-fine">
      <summary>{countText(findings.length, "check")} passed</summary>
      <Findings findings={findings} />
    </details>
  );
}

function Finding({ finding: { check, state, message, remedy } }: { readonly finding: HealthFinding }) {
  const [sign, word] = STATES[state];
  return (
    <li class={`finding finding-${state}`}>
      <span class="finding-state">
        <span aria-hidden="true">{sign}</span> {word}
      </span>
      <span class="finding-check">{check}</span>
      <div>
        <bdi>{message}</bdi>
        {remedy !== undefined && (
          <p class="finding-remedy">
            Remedy: <bdi>{remedy}</bdi>
          </p>
        )}
      </div>
    </li>
  );
}

function summaryOf(findings: readonly HealthFinding[]): string {
  const numberOf = (wanted: HealthFinding["state"]): number =>
    findings.filter(({ state }) => state === wanted).length;
  const [errors, warnings, unknowns] = [numberOf("error"), numberOf("warning"), numberOf("unknown")];
  const parts = [
    ...(errors > 0 ? [countText(errors, "error")] : []),
    ...(warnings > 0 ? [countText(warnings, "warning")] : []),
    ...(unknowns > 0 ? [`${unknowns} unknown`] : []),
  ];
  return parts.length === 0 ? "No problems found" : parts.join(", ");
}

/** The migrations of the schema. */
function Migrations({ migrations: { applied, pending, unknown } }: Pick<HealthView, "migrations">) {
  return (
    <section>
      <h2>Migrations</h2>
      <p>
        {countText(applied.length, "migration")} applied, {pending.length} pending.
      </p>
      <ul class="migrations mono">
        {pending.map((name) => (
          <li key={name}>
            {name} <strong class="migration-pending">pending</strong>
          </li>
        ))}
      </ul>
      <details>
        <summary>The applied ones</summary>
        <ul class="migrations mono">
          {applied.map((name) => (
            <li key={name}>
              {name}{" "}
              <span class="dim">{unknown.includes(name) ? "applied by a newer version" : "applied"}</span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

/** The connections of the saver's pool. */
function PoolMeter({ pool: { total, idle, waiting } }: { readonly pool: NonNullable<HealthView["pool"]> }) {
  const used = total - idle;
  return (
    <section>
      <h2>Pool</h2>
      <p class="pool">
        <meter aria-label="Connections in use" min={0} max={Math.max(total, 1)} value={used} />
        <span>
          {used} of {countText(total, "connection")} in use, {countText(waiting, "call")} waiting
        </span>
      </p>
    </section>
  );
}
