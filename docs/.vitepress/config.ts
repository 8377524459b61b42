import { defineConfig } from "vitepress";
import { checkLinks } from "./check-links.js";
import { checkSearch } from "./check-search.js";
import { fileUrl, name, repository, version } from "./package.js";
import { linkToRepository } from "./repository-links.js";
import { search } from "./search.js";
import { sidebar } from "./sidebar.js";
import { slugify } from "./slugify.js";

/** Room for the title, which is above the sidebar, and in narrow windows for the search beside it. */
const STYLE = `
html:root { --vp-sidebar-width: 304px; }
@media (max-width: 959px) { html .VPNavBarSearchButton .keys { display: none; } }
`;

export default defineConfig({
  title: name,
  description: "Durable state for LangGraph.js agents in PostgreSQL",
  cleanUrls: true,
  head: [["style", {}, STYLE]],
  markdown: { anchor: { slugify }, config: linkToRepository },
  // The index of the search is one chunk.
  vite: { build: { chunkSizeWarningLimit: 1_000 } },
  buildEnd: async (site) => {
    checkLinks(site);
    await checkSearch(site);
  },
  themeConfig: {
    search: { provider: "local", options: search },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "API", link: "/api/" },
      { text: `v${version}`, link: fileUrl("CHANGELOG.md") },
    ],
    socialLinks: [
      { icon: "github", link: repository },
      { icon: "npm", link: `https://www.npmjs.com/package/${name}` },
    ],
    sidebar: [...sidebar],
  },
});
