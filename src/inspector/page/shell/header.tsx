import { PAGE_ACTIONS } from "../../api/actions.js";
import type { Overview } from "../../api/inspector-api.js";
import { linkTo } from "../routes/route.js";
import { useState } from "preact/hooks";
import { KeysButton } from "./keys/keys-button.js";
import { PAGE_LETTERS } from "./keys/page-keys.js";
import { chooseTheme, storedTheme, THEMES } from "./theme.js";

/** The pages that the navigation links to. */
const LINKS = [
  ["threads", "Threads"],
  ["storage", "Storage"],
  ["memory", "Store"],
  ["cache", "Cache"],
  ["health", "Health"],
] as const;

/** The page in the navigation that other pages belong to. */
const SECTIONS: Readonly<Record<string, string>> = { thread: "threads", checkpoint: "threads" };

interface HeaderProps {
  readonly overview: Overview;
  readonly page: string;
}

/** The navigation, and which database the page shows. */
export function Header({ overview, page }: HeaderProps) {
  const section = SECTIONS[page] ?? page;
  return (
    <header class="top">
      <div class="top-content">
        <nav aria-label="Pages">
          {LINKS.filter(([name]) => isThere(name, overview)).map(([name, title]) => (
            <a
              key={name}
              href={linkTo(name)}
              data-letter={PAGE_LETTERS[name]}
              aria-current={section === name ? (page === name ? "page" : true) : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <Where overview={overview} />
        <KeysButton />
        <ThemeChoice />
      </div>
    </header>
  );
}

/** Whether there is anything to show on a page. */
function isThere(page: string, { hasMemory, hasCache }: Overview): boolean {
  return (page !== "memory" || hasMemory) && (page !== "cache" || hasCache);
}

function Where({ overview: { database, schema, tenantId, may } }: { readonly overview: Overview }) {
  const facts = [
    ["Database", database],
    ["Schema", schema],
    ["Tenant", tenantId],
    ["Access", accessText(may)],
  ] as const;
  return (
    <dl class="where">
      {facts.map(
        ([name, text]) =>
          text !== undefined &&
          text !== "" && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{text}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Lets the person choose a colour scheme. */
function ThemeChoice() {
  const [chosen, setChosen] = useState(storedTheme);
  return (
    <select
      class="theme"
      aria-label="Colours"
      value={chosen}
      onChange={({ currentTarget }) => {
        const theme = THEMES.find((name) => name === currentTarget.value) ?? "system";
        chooseTheme(theme);
        setChosen(theme);
      }}
    >
      {THEMES.map((theme) => (
        <option key={theme} value={theme}>
          {theme}
        </option>
      ))}
    </select>
  );
}

function accessText(may: Overview["may"]): string {
  const actions = PAGE_ACTIONS.filter((action) => may[action]);
  if (actions.length === PAGE_ACTIONS.length) return "all";
  return actions.length === 0 ? "read-only" : ["read", ...actions].join(", ");
}
