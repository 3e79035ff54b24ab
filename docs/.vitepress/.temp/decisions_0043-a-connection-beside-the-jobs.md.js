import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0043-a-connection-beside-the-jobs.md
var __pageData = JSON.parse("{\"title\":\"0043 A connection beside the jobs\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0043-a-connection-beside-the-jobs.md\",\"filePath\":\"decisions/0043-a-connection-beside-the-jobs.md\"}");
var _sfc_main = { name: "decisions/0043-a-connection-beside-the-jobs.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0043-a-connection-beside-the-jobs" tabindex="-1">0043 A connection beside the jobs <a class="header-anchor" href="#0043-a-connection-beside-the-jobs" aria-label="Permalink to “0043 A connection beside the jobs”">​</a></h1><p><strong>Context.</strong> A waiting worker keeps one connection open, and that connection has the plans for a claim and its end (<a href="./0037-an-idle-fleet-stays-cold">0037</a>). Upkeep was taken off it (<a href="./0040-the-upkeep-has-its-own-connection">0040</a>). But the question whether upkeep is due and the looks at the schedules still used it, in every worker. A job that came meanwhile went to a new connection. Of 480 single jobs, the slowest came a second after the start, when all of that begins, and waited 13 to 21 ms where others take 3.5. And in a process with ten workers, ten connections had planned the same looks, each for its worker&#39;s rare turn.</p><p><strong>Choice.</strong> What the workers of a process do beside their jobs (upkeep and whether it is due, schedules) goes over one connection that they share, as they share their heartbeat thread and their listening connection (<a href="./0036-what-the-workers-of-a-process-share">0036</a>). A second one is opened when the first is busy, so that no tick of a schedule waits for a long deletion. A worker&#39;s own connections carry its claims and ends, its announcements, and the progress and cancel requests of its jobs: a worker that asks for those has jobs, and connections with plans.</p><p><strong>Considered.</strong> Sending these looks over the listening connection: one connection fewer, but a wake-up would wait for a look that is running, and behind a pooler there is no such connection. A separate pool for claims and ends in every worker: one more connection for each.</p><p><strong>Consequence.</strong> A process that works has one more connection than before, except the one that did the upkeep; ten workers in a process still have one for all. When that connection finds the database down, each engine that uses it reports the outage.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0043-a-connection-beside-the-jobs.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0043_a_connection_beside_the_jobs_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0043_a_connection_beside_the_jobs_default as default };
