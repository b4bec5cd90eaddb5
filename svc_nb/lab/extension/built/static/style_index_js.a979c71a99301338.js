"use strict";(self.rspackChunksvc_nb=self.rspackChunksvc_nb||[]).push([["style_index_js"],{"./node_modules/css-loader/dist/cjs.js!./style/index.css"(e,r,t){var o=t("./node_modules/css-loader/dist/runtime/noSourceMaps.js"),a=t.n(o),n=t("./node_modules/css-loader/dist/runtime/api.js"),s=(t.n(n))()(a());s.push([e.id,`.svc-lab-tab {
  overflow: auto;
  padding: 8px;
  background: var(--jp-layout-color1);
}

.svc-lab-tab-line {
  padding: 8px;
  color: var(--jp-ui-font-color1);
}

.svc-lab-sidebar {
  overflow-y: auto;
  min-width: 200px;
  background: var(--jp-layout-color1);
  color: var(--jp-ui-font-color1);
  font-size: var(--jp-ui-font-size1);
  line-height: 1.4;
}

.svc-lab-sidebar header {
  display: flex;
  align-items: center;
  justify-content: space-between;
  padding: 4px 4px 4px 12px;
  border-bottom: var(--jp-border-width) solid var(--jp-border-color2);
}

.svc-lab-sidebar h2 {
  margin: 0;
  font-size: var(--jp-ui-font-size1);
  font-weight: 600;
}

.svc-lab-sidebar h3 {
  display: flex;
  align-items: center;
  gap: 6px;
  margin: 0 0 4px;
  color: var(--jp-ui-font-color2);
  font-size: var(--jp-ui-font-size0);
  font-weight: 600;
  letter-spacing: 0.1em;
  text-transform: uppercase;
}

.svc-lab-sidebar section {
  padding: 12px;
}

.svc-lab-sidebar p {
  margin: 0;
  overflow-wrap: anywhere;
}

.svc-lab-sidebar ul {
  margin: 0 -12px;
  padding: 0;
  list-style: none;
}

.svc-lab-small {
  color: var(--jp-ui-font-color2);
  font-size: var(--jp-ui-font-size0);
}

.svc-lab-count {
  padding: 0 6px;
  border-radius: 8px;
  background: var(--jp-layout-color2);
  letter-spacing: 0;
}

.svc-lab-connection {
  font-weight: 600;
}

.svc-lab-dot {
  display: inline-block;
  width: 8px;
  height: 8px;
  margin-right: 6px;
  border-radius: 50%;
  background: var(--jp-success-color1);
}

.svc-lab-troubled {
  background: var(--jp-error-color1);
}

.svc-lab-connect {
  margin-top: 8px;
}

.svc-lab-problem {
  margin-top: 8px;
  padding: 6px 8px;
  border-left: 3px solid var(--jp-error-color1);
  background: var(--jp-layout-color2);
}

.svc-lab-quota meter {
  appearance: none;
  display: block;
  width: 100%;
  height: 6px;
  margin: 6px 0 4px;
  border: 0;
  border-radius: 3px;
  background: var(--jp-layout-color3);
}

.svc-lab-quota meter::-webkit-meter-bar {
  height: 6px;
  border: 0;
  border-radius: 3px;
  background: var(--jp-layout-color3);
}

.svc-lab-quota meter::-webkit-meter-optimum-value {
  border-radius: 3px;
  background: var(--jp-brand-color1);
}

.svc-lab-quota meter::-moz-meter-bar {
  border-radius: 3px;
  background: var(--jp-brand-color1);
}

.svc-lab-quota meter.svc-lab-low::-webkit-meter-optimum-value {
  background: var(--jp-warn-color1);
}

.svc-lab-quota meter.svc-lab-low::-moz-meter-bar {
  background: var(--jp-warn-color1);
}

.svc-lab-row {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  column-gap: 8px;
  width: 100%;
  padding: 5px 12px;
  border: 0;
  background: none;
  color: inherit;
  font: inherit;
  text-align: left;
  cursor: pointer;
}

.svc-lab-row:hover {
  background: var(--jp-layout-color2);
}

.svc-lab-row:focus-visible {
  outline: 2px solid var(--jp-brand-color1);
  outline-offset: -2px;
}

.svc-lab-name {
  display: -webkit-box;
  overflow: hidden;
  overflow-wrap: anywhere;
  unicode-bidi: isolate;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
}

.svc-lab-row .svc-lab-small {
  width: 100%;
}

.svc-lab-icon {
  display: flex;
}

.svc-lab-status button {
  display: flex;
  align-items: center;
  gap: 4px;
  height: 100%;
  padding: 0 4px;
  border: 0;
  background: none;
  color: inherit;
  font: inherit;
  cursor: pointer;
}
`,""]),t.d(r,{},{A:s})},"./node_modules/css-loader/dist/runtime/api.js"(e){e.exports=function(e){var r=[];return r.toString=function(){return this.map(function(r){var t="",o=void 0!==r[5];return r[4]&&(t+="@supports (".concat(r[4],") {")),r[2]&&(t+="@media ".concat(r[2]," {")),o&&(t+="@layer".concat(r[5].length>0?" ".concat(r[5]):""," {")),t+=e(r),o&&(t+="}"),r[2]&&(t+="}"),r[4]&&(t+="}"),t}).join("")},r.i=function(e,t,o,a,n){"string"==typeof e&&(e=[[null,e,void 0]]);var s={};if(o)for(var i=0;i<this.length;i++){var l=this[i][0];null!=l&&(s[l]=!0)}for(var c=0;c<e.length;c++){var d=[].concat(e[c]);o&&s[d[0]]||(void 0!==n&&(void 0===d[5]||(d[1]="@layer".concat(d[5].length>0?" ".concat(d[5]):""," {").concat(d[1],"}")),d[5]=n),t&&(d[2]&&(d[1]="@media ".concat(d[2]," {").concat(d[1],"}")),d[2]=t),a&&(d[4]?(d[1]="@supports (".concat(d[4],") {").concat(d[1],"}"),d[4]=a):d[4]="".concat(a)),r.push(d))}},r}},"./node_modules/css-loader/dist/runtime/noSourceMaps.js"(e){e.exports=function(e){return e[1]}},"./node_modules/style-loader/dist/runtime/injectStylesIntoStyleTag.js"(e){var r=[];function t(e){for(var t=-1,o=0;o<r.length;o++)if(r[o].identifier===e){t=o;break}return t}function o(e,o){for(var a={},n=[],s=0;s<e.length;s++){var i=e[s],l=o.base?i[0]+o.base:i[0],c=a[l]||0,d="".concat(l," ").concat(c);a[l]=c+1;var u=t(d),p={css:i[1],media:i[2],sourceMap:i[3],supports:i[4],layer:i[5]};if(-1!==u)r[u].references++,r[u].updater(p);else{var b=function(e,r){var t=r.domAPI(r);return t.update(e),function(r){r?(r.css!==e.css||r.media!==e.media||r.sourceMap!==e.sourceMap||r.supports!==e.supports||r.layer!==e.layer)&&t.update(e=r):t.remove()}}(p,o);o.byIndex=s,r.splice(s,0,{identifier:d,updater:b,references:1})}n.push(d)}return n}e.exports=function(e,a){var n=o(e=e||[],a=a||{});return function(e){e=e||[];for(var s=0;s<n.length;s++){var i=t(n[s]);r[i].references--}for(var l=o(e,a),c=0;c<n.length;c++){var d=t(n[c]);0===r[d].references&&(r[d].updater(),r.splice(d,1))}n=l}}},"./node_modules/style-loader/dist/runtime/insertBySelector.js"(e){var r={};e.exports=function(e,t){var o=function(e){if(void 0===r[e]){var t=document.querySelector(e);if(window.HTMLIFrameElement&&t instanceof window.HTMLIFrameElement)try{t=t.contentDocument.head}catch(e){t=null}r[e]=t}return r[e]}(e);if(!o)throw Error("Couldn't find a style target. This probably means that the value for the 'insert' parameter is invalid.");o.appendChild(t)}},"./node_modules/style-loader/dist/runtime/insertStyleElement.js"(e){e.exports=function(e){var r=document.createElement("style");return e.setAttributes(r,e.attributes),e.insert(r,e.options),r}},"./node_modules/style-loader/dist/runtime/setAttributesWithoutAttributes.js"(e,r,t){e.exports=function(e){var r=t.nc;r&&e.setAttribute("nonce",r)}},"./node_modules/style-loader/dist/runtime/styleDomAPI.js"(e){e.exports=function(e){if("u"<typeof document)return{update:function(){},remove:function(){}};var r=e.insertStyleElement(e);return{update:function(t){var o,a,n;o="",t.supports&&(o+="@supports (".concat(t.supports,") {")),t.media&&(o+="@media ".concat(t.media," {")),(a=void 0!==t.layer)&&(o+="@layer".concat(t.layer.length>0?" ".concat(t.layer):""," {")),o+=t.css,a&&(o+="}"),t.media&&(o+="}"),t.supports&&(o+="}"),(n=t.sourceMap)&&"u">typeof btoa&&(o+="\n/*# sourceMappingURL=data:application/json;base64,".concat(btoa(unescape(encodeURIComponent(JSON.stringify(n))))," */")),e.styleTagTransform(o,r,e.options)},remove:function(){var e;null===(e=r).parentNode||e.parentNode.removeChild(e)}}}},"./node_modules/style-loader/dist/runtime/styleTagTransform.js"(e){e.exports=function(e,r){if(r.styleSheet)r.styleSheet.cssText=e;else{for(;r.firstChild;)r.removeChild(r.firstChild);r.appendChild(document.createTextNode(e))}}},"./style/index.js"(e,r,t){var o=t("./node_modules/style-loader/dist/runtime/injectStylesIntoStyleTag.js"),a=t.n(o),n=t("./node_modules/style-loader/dist/runtime/styleDomAPI.js"),s=t.n(n),i=t("./node_modules/style-loader/dist/runtime/insertBySelector.js"),l=t.n(i),c=t("./node_modules/style-loader/dist/runtime/setAttributesWithoutAttributes.js"),d=t.n(c),u=t("./node_modules/style-loader/dist/runtime/insertStyleElement.js"),p=t.n(u),b=t("./node_modules/style-loader/dist/runtime/styleTagTransform.js"),m=t.n(b),v=t("./node_modules/css-loader/dist/cjs.js!./style/index.css"),f={};f.styleTagTransform=m(),f.setAttributes=d(),f.insert=l().bind(null,"head"),f.domAPI=s(),f.insertStyleElement=p(),a()(v.A,f),v.A&&v.A.locals&&v.A.locals}}]);