import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0034-test-databases-in-memory.md
var __pageData = JSON.parse("{\"title\":\"0034 Test databases in memory\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0034-test-databases-in-memory.md\",\"filePath\":\"decisions/0034-test-databases-in-memory.md\"}");
var _sfc_main = { name: "decisions/0034-test-databases-in-memory.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0034-test-databases-in-memory" tabindex="-1">0034 Test databases in memory <a class="header-anchor" href="#0034-test-databases-in-memory" aria-label="Permalink to “0034 Test databases in memory”">​</a></h1><p><strong>Context.</strong> <code>npm test</code> may take fifteen minutes on two processors. Every test file clones a database of 250 tables and indexes and drops it, and most tests truncate tables, which creates new files too. Measured on ext4 without a journal: creating a file searches past all inodes that were deleted in the last minute. So a clone took 70 ms of processor time on a clean disk and 550 ms after thirty others. The tests beside the code spent a quarter of their processor time there.</p><p><strong>Choice.</strong> The one server of a run is in <code>/dev/shm</code> if that and the memory have 6 GiB of room, and otherwise in the temporary folder. It is a throw-away folder as before, removed with its process however that ends: the option <code>temporaryFolder</code> of <code>startPostgres</code> says where it is made.</p><p>Left out: clones that are kept until the end (4 GB on a disk, and autovacuum goes round hundreds of databases); <code>TMPDIR</code> for everything that tests do (what is installed there may have to be executed, and memory file systems may forbid it); a copied result of <code>initdb</code> for servers that tests start themselves (saves half a second each, and all copies would share one password).</p><p><strong>Consequence.</strong> The tests beside the code take 170 seconds of processor time less, of 700. A run takes 1.1 GB of memory while it lists a million jobs.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0034-test-databases-in-memory.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0034_test_databases_in_memory_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0034_test_databases_in_memory_default as default };
