import { useState } from "preact/hooks";
import { chooseTheme, storedTheme, THEMES } from "./theme.js";

/** Lets the person choose a colour scheme. */
export function ThemeChoice() {
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
