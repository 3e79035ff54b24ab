import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0026-what-a-screen-is-told.md
var __pageData = JSON.parse("{\"title\":\"0026 What a screen is told\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0026-what-a-screen-is-told.md\",\"filePath\":\"decisions/0026-what-a-screen-is-told.md\"}");
var _sfc_main = { name: "decisions/0026-what-a-screen-is-told.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0026-what-a-screen-is-told" tabindex="-1">0026 What a screen is told <a class="header-anchor" href="#0026-what-a-screen-is-told" aria-label="Permalink to “0026 What a screen is told”">​</a></h1><p><strong>Context.</strong> The console showed the longest wait of the past as the age of the oldest pending job. And when a job failed while somebody watched, its error appeared only when the list was read again. Both facts are in the database, but not in what the sampler reads each second for all screens: the age of the oldest job takes a few index lookups per stage, and <code>job_rows</code> has no error.</p><p><strong>Choice.</strong> <code>GET /stats</code> and the state <code>stats</code> say since when the oldest job of each stage has waited: a time, not an age. A time does not change while its job waits, so nothing is sent for it every second, and a screen computes the age itself. It is rounded to the second, because the way from the database takes some milliseconds more or less. It is looked up every five seconds at most, however many ask.</p><p>The server reads the errors of watched rows that have failed, once for each failure, and sends them with the row, redacted as lists are. A new column of <code>job_rows</code> would have read them at every look; a request from each tab would have grown with the number of tabs.</p><p>The server&#39;s name and how long it keeps jobs are in <code>GET /me</code>, which every page reads anyway. From that and an id of version 7, a page says from when on retention can have removed a job that does not exist: nothing is kept of jobs that are gone.</p><p><strong>Consequence.</strong> Fifty tabs still cost what one does. <code>updatedAt</code> of a row is what tells failures apart. So a job that is retried and fails again in the same millisecond with another error would show the former error until its page is read. &quot;Removed on&quot; is the earliest possible day, since nobody knows when a job that is gone had ended.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0026-what-a-screen-is-told.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0026_what_a_screen_is_told_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0026_what_a_screen_is_told_default as default };
