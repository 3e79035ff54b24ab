import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0001-functions-run-as-their-owner.md
var __pageData = JSON.parse("{\"title\":\"0001 Functions run as their owner\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0001-functions-run-as-their-owner.md\",\"filePath\":\"decisions/0001-functions-run-as-their-owner.md\"}");
var _sfc_main = { name: "decisions/0001-functions-run-as-their-owner.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0001-functions-run-as-their-owner" tabindex="-1">0001 Functions run as their owner <a class="header-anchor" href="#0001-functions-run-as-their-owner" aria-label="Permalink to “0001 Functions run as their owner”">​</a></h1><p><strong>Context.</strong> The tables are private and the functions are the API. A function that runs with its caller&#39;s rights (SECURITY INVOKER) would need every role to have SELECT, INSERT, UPDATE and DELETE on the tables: then a producer could write any status by hand, and the state machine would be a convention. Retention also creates and drops day tables, which a worker could not do without owning them.</p><p><strong>Choice.</strong> Functions that touch tables are SECURITY DEFINER, with <code>set search_path = pg_catalog, pg_temp</code> and every name written out, so that no schema of the caller can put its own function or operator in the way. Nothing is granted to PUBLIC. Each role gets EXECUTE on a list of functions (<code>packages/database/grants/grant_roles.sql</code>) and nothing else; helpers are on no list.</p><p><strong>Consequence.</strong> A role can do what its functions do, and no more. The tables can change shape without any change to grants. The schema&#39;s owner must be trusted and should not be a login of the application. Row level security of the caller does not apply inside the functions: <code>p_owner</code> is an argument, and callers that are not trusted need a wrapper. Helpers that PostgreSQL is to inline (<code>time_bucket</code>, <code>was_settled</code>, <code>with_ended_attempt</code>, <code>given_jobs</code> and others in <code>functions/hot</code> and <code>functions/internal</code>) are not SECURITY DEFINER; no role may call them.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0001-functions-run-as-their-owner.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0001_functions_run_as_their_owner_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0001_functions_run_as_their_owner_default as default };
