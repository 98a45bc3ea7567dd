// A small WebGL 2 renderer: solids with soft shadows and darkened creases on a ground with a grid, ghosts, lines.
// Four passes: depth from the sun, depth from the eye, creases from that depth, and the picture.

const M = {
  multiply(a, b) {
    const o = new Float32Array(16);
    for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
      o[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
    }
    return o;
  },
  perspective(high, aspect, near, far) {
    const f = 1 / high, d = near - far;
    return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0]);
  },
  // Rows right, up, back seen from a place.
  view(frame, eye) {
    const [r, u, b] = frame;
    const dot = (v) => -(v[0] * eye[0] + v[1] * eye[1] + v[2] * eye[2]);
    return new Float32Array([r[0], u[0], b[0], 0, r[1], u[1], b[1], 0, r[2], u[2], b[2], 0, dot(r), dot(u), dot(b), 1]);
  },
  box(half, deep) {
    return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -1 / deep, 0, 0, 0, 0, 1]);
  },
};

const unit = (v) => { const n = Math.hypot(...v) || 1; return v.map((x) => x / n); };
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const lookFrame = (back) => { const r = unit(cross([0, 0, 1], back)); return [r, cross(back, r), back]; };

const SOLID_VERTEX = `#version 300 es
layout(location = 0) in vec3 position; layout(location = 1) in vec2 fold;
layout(location = 2) in vec3 later; layout(location = 3) in vec2 laterFold; // of the next frame
invariant gl_Position;
uniform mat4 camera, model; uniform vec3 low, span, viewer; uniform float retreat, blend;
out vec3 place, normal;
vec3 unfold(vec2 f) {
  vec3 n = vec3(f, 1.0 - abs(f.x) - abs(f.y));
  float under = max(-n.z, 0.0);
  n.xy += vec2(n.x >= 0.0 ? -under : under, n.y >= 0.0 ? -under : under);
  return normalize(n);
}
void main() {
  vec4 world = model * vec4(low + span * mix(position, later, blend), 1.0);
  place = world.xyz;
  normal = mat3(model) * mix(unfold(fold), unfold(laterFold), blend);
  // Ghosts step back a little, so that what stays where it is hides its own ghost.
  world.xyz += normalize(world.xyz - viewer) * retreat;
  gl_Position = camera * world;
}`;

const DEPTH_FRAGMENT = `#version 300 es
precision highp float;
void main() {}`;

const LIGHT = `
uniform highp sampler2DShadow shade;
uniform mat4 sunCamera; uniform vec3 sun, eye; uniform float texel;
float hash(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }
float sunlight(vec3 p, vec3 n) {
  vec4 q = sunCamera * vec4(p + n * texel * 2.5, 1.0);
  vec3 s = q.xyz * 0.5 + 0.5;
  if (s.x < 0.0 || s.y < 0.0 || s.x > 1.0 || s.y > 1.0 || s.z > 1.0) return 1.0;
  float turn = hash(gl_FragCoord.xy) * 6.2832, lit = 0.0;
  for (int i = 0; i < 16; i++) {
    float r = sqrt((float(i) + 0.5) / 16.0) * 3.2 / 2048.0, a = float(i) * 2.39996 + turn;
    lit += texture(shade, vec3(s.xy + r * vec2(cos(a), sin(a)), s.z - 0.0006));
  }
  return lit / 16.0;
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, normal; out vec4 pixel;
uniform vec3 colour; uniform float ghost, flatLight, dark; uniform sampler2D creases; uniform vec2 screen;
${LIGHT}
void main() {
  vec3 v = normalize(eye - place), n = normalize(normal);
  if (dot(n, v) < 0.0) n = -n;
  float rim = 1.0 - max(dot(n, v), 0.0);
  if (ghost > 0.0) {
    pixel = vec4(mix(colour, vec3(1.0), dark > 0.5 ? 0.15 : 0.1), ghost * (0.16 + 0.62 * pow(rim, 1.8)));
    return;
  }
  float crease = mix(texture(creases, gl_FragCoord.xy / screen).r, 1.0, flatLight);
  float lit = mix(sunlight(place, n), 1.0, flatLight);
  float facing = max(dot(n, sun), 0.0);
  vec3 half_ = normalize(v + sun);
  float shine = pow(max(dot(n, half_), 0.0), 46.0) * lit;
  vec3 sky = mix(vec3(0.42, 0.41, 0.42), vec3(0.66, 0.70, 0.78), n.z * 0.5 + 0.5) * (dark > 0.5 ? 0.62 : 0.86);
  vec3 base = pow(colour, vec3(2.0));
  vec3 c = base * (sky * crease + vec3(1.0, 0.96, 0.9) * 0.82 * facing * lit * mix(crease, 1.0, 0.6));
  c += shine * 0.14 + pow(rim, 4.0) * 0.07 * sky * crease;
  pixel = vec4(pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.0)), 1.0);
}`;

const GROUND_VERTEX = `#version 300 es
layout(location = 0) in vec2 corner;
uniform mat4 camera; uniform vec3 middle; uniform float reach;
out vec3 place;
void main() { place = middle + vec3(corner * reach, 0.0); gl_Position = camera * vec4(place, 1.0); }`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place; out vec4 pixel;
uniform vec3 middle, paper, ink, shadowInk; uniform float reach, cell, below; uniform sampler2D creases; uniform vec2 screen;
${LIGHT}
float lines(vec2 p, float width) {
  vec2 w = fwidth(p), g = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-6));
  float line = 1.0 - min(min(g.x, g.y) / width, 1.0);
  return line * (1.0 - smoothstep(0.25, 0.6, max(w.x, w.y)));
}
void main() {
  float far = 1.0 - smoothstep(0.25, 1.0, length(place.xy - middle.xy) / reach);
  float grid = max(0.28 * lines(place.xy / cell, 1.1), 0.6 * lines(place.xy / (5.0 * cell), 1.3));
  float lit = sunlight(place, vec3(0.0, 0.0, 1.0));
  float crease = texture(creases, gl_FragCoord.xy / screen).r;
  float shadow = (1.0 - lit) * 0.34 + (1.0 - crease) * 0.5;
  vec3 c = mix(paper, ink, grid);
  c = mix(c, shadowInk, clamp(shadow, 0.0, 0.75));
  float under = eye.z < middle.z ? 0.12 : 1.0;
  pixel = vec4(c, far * under);
}`;

const SCREEN_VERTEX = `#version 300 es
layout(location = 0) in vec2 corner;
out vec2 uv;
void main() { uv = corner * 0.5 + 0.5; gl_Position = vec4(corner, 0.0, 1.0); }`;

// Darkening where neighbours in the depth image stand in front: a spiral of samples around each pixel.
const CREASE_FRAGMENT = `#version 300 es
precision highp float;
in vec2 uv; out vec4 pixel;
uniform sampler2D depth; uniform float near, far, radius, focal; uniform vec2 screen;
float away(vec2 p) { float d = texture(depth, p).r * 2.0 - 1.0; return 2.0 * near * far / (far + near - d * (far - near)); }
vec3 spot(vec2 p) { float z = away(p); return vec3((p * 2.0 - 1.0) * vec2(screen.x / screen.y, 1.0) / focal * z, -z); }
void main() {
  if (texture(depth, uv).r >= 1.0) { pixel = vec4(1.0); return; }
  vec3 p = spot(uv);
  vec2 e = 1.0 / screen;
  vec3 l = p - spot(uv - vec2(e.x, 0.0)), r = spot(uv + vec2(e.x, 0.0)) - p;
  vec3 d = p - spot(uv - vec2(0.0, e.y)), u = spot(uv + vec2(0.0, e.y)) - p;
  vec3 n = normalize(cross(abs(l.z) < abs(r.z) ? l : r, abs(d.z) < abs(u.z) ? d : u));
  float size = clamp(radius * focal / -p.z * 0.5, 0.004, 0.12), dim = 0.0;
  float turn = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) * 6.2832;
  for (int i = 0; i < 20; i++) {
    float s = (float(i) + 0.5) / 20.0, a = float(i) * 2.39996 + turn;
    vec3 q = spot(uv + size * sqrt(s) * vec2(cos(a) * screen.y / screen.x, sin(a))) - p;
    float away2 = dot(q, q);
    dim += max(dot(q, n) - 0.02 * radius, 0.0) / (away2 + 0.02 * radius * radius) * max(0.0, 1.0 - away2 / (radius * radius));
  }
  pixel = vec4(vec3(clamp(1.0 - dim * radius * 0.11, 0.25, 1.0)), 1.0);
}`;

// Four by four means smooth the spiral's noise away.
const BLUR_FRAGMENT = `#version 300 es
precision highp float;
in vec2 uv; out vec4 pixel;
uniform sampler2D image; uniform vec2 screen;
void main() {
  float sum = 0.0;
  for (int i = 0; i < 4; i++) for (int k = 0; k < 4; k++) sum += texture(image, uv + (vec2(i, k) - 1.5) / screen).r;
  pixel = vec4(vec3(sum / 16.0), 1.0);
}`;

const BACK_FRAGMENT = `#version 300 es
precision highp float;
in vec2 uv; out vec4 pixel;
uniform vec3 top, bottom;
void main() { pixel = vec4(mix(bottom, top, smoothstep(0.0, 1.0, uv.y)), 1.0); }`;

const LINE_VERTEX = `#version 300 es
layout(location = 0) in vec3 start; layout(location = 1) in vec3 end; layout(location = 2) in vec4 tint;
uniform mat4 camera; uniform vec2 screen; uniform float width;
out vec4 colour;
void main() {
  vec4 a = camera * vec4(start, 1.0), b = camera * vec4(end, 1.0);
  float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  vec4 p = gl_VertexID < 2 ? a : b;
  vec2 along = (b.xy / max(b.w, 1e-6) - a.xy / max(a.w, 1e-6)) * screen;
  along = length(along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
  p.xy += vec2(-along.y, along.x) * side * width / screen * p.w;
  colour = tint;
  gl_Position = p;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour; out vec4 pixel; uniform float fade;
void main() { pixel = vec4(colour.rgb, colour.a * fade); }`;

const PLAIN_VERTEX = `#version 300 es
layout(location = 0) in vec3 position; layout(location = 1) in vec3 direction;
uniform mat4 camera; out float facing; uniform vec3 sun;
void main() { facing = 0.72 + 0.28 * dot(direction, sun); gl_Position = camera * vec4(position, 1.0); }`;

const PLAIN_FRAGMENT = `#version 300 es
precision highp float;
in float facing; out vec4 pixel; uniform vec4 colour;
void main() { pixel = vec4(colour.rgb * facing, colour.a); }`;

const UNMOVED = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
const SHADOW = 2048;
const TANGENT = 0.27; // of half the angle of view, upwards

class Renderer {
  constructor(canvas, film, bytes) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This page draws with WebGL 2, which this browser does not offer or has switched off.");
    this.gl = gl; this.canvas = canvas; this.film = film;
    this.programs = {};
    const programs = {
      solid: [SOLID_VERTEX, SOLID_FRAGMENT], depth: [SOLID_VERTEX, DEPTH_FRAGMENT], ground: [GROUND_VERTEX, GROUND_FRAGMENT],
      crease: [SCREEN_VERTEX, CREASE_FRAGMENT], blur: [SCREEN_VERTEX, BLUR_FRAGMENT], back: [SCREEN_VERTEX, BACK_FRAGMENT],
      line: [LINE_VERTEX, LINE_FRAGMENT], plain: [PLAIN_VERTEX, PLAIN_FRAGMENT],
    };
    for (const [name, sources] of Object.entries(programs)) this.programs[name] = this.program(...sources);
    const vertex = [[3, gl.UNSIGNED_SHORT, true, 0], [2, gl.SHORT, true, 8]];
    this.solids = this.layout(0, bytes.vertices, [...vertex, ...vertex], 12, bytes.indices);
    const square = new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]);
    this.square = this.layout(0, square, [[2, gl.FLOAT, false, 0]], 8);
    this.lines = this.layout(1, new Float32Array(10), [[3, gl.FLOAT, false, 0], [3, gl.FLOAT, false, 12], [4, gl.FLOAT, false, 24]], 40);
    this.marks = this.layout(0, new Float32Array(6), [[3, gl.FLOAT, false, 0], [3, gl.FLOAT, false, 12]], 24);
    this.shadow = this.target(SHADOW, SHADOW, true, true);
    this.sun = unit([0.42, -0.5, 0.9]);
    this.lineCount = this.markLines = this.markCount = this.arrowCount = 0;
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text); gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const at = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }

  layout(divisor, data, attributes, stride, indices) {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer); gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    attributes.forEach(([size, type, normal, offset], i) => {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, size, type, normal, stride, offset);
      gl.vertexAttribDivisor(i, divisor);
    });
    if (indices) { gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW); }
    gl.bindVertexArray(null);
    return { array, buffer };
  }

  target(width, height, isDepth, compares) {
    const gl = this.gl, texture = gl.createTexture(), frame = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, isDepth ? gl.DEPTH_COMPONENT24 : gl.RGBA8, width, height);
    const smooth = !isDepth || compares ? gl.LINEAR : gl.NEAREST;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, smooth);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, smooth);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    if (compares) gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, isDepth ? gl.DEPTH_ATTACHMENT : gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, frame, width, height };
  }

  fit() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.depth && this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width; this.canvas.height = height;
    for (const old of [this.depth, this.crease, this.soft]) if (old) { this.gl.deleteTexture(old.texture); this.gl.deleteFramebuffer(old.frame); }
    this.depth = this.target(width, height, true, false);
    this.crease = this.target(width, height, false, false);
    this.soft = this.target(width, height, false, false);
  }

  use(name, values) {
    const gl = this.gl, { program, at } = this.programs[name];
    gl.useProgram(program);
    for (const [key, value] of Object.entries(values)) {
      const where = at[key];
      if (where === undefined) continue;
      if (typeof value === "number") gl.uniform1f(where, value);
      else if (value.length === 2) gl.uniform2fv(where, value);
      else if (value.length === 3) gl.uniform3fv(where, value);
      else if (value.length === 4) gl.uniform4fv(where, value);
      else gl.uniformMatrix4fv(where, false, value);
    }
    return at;
  }

  texture(at, name, unitNumber, target) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0 + unitNumber); gl.bindTexture(gl.TEXTURE_2D, target.texture);
    gl.uniform1i(at[name], unitNumber);
  }

  // moment: poses of the links, and of every sheet [frame, next frame, how far between them].
  drawSolids(at, moment, keep) {
    const gl = this.gl;
    gl.bindVertexArray(this.solids.array);
    this.setFrames(0, 0); gl.uniform1f(at.blend, 0);
    for (const solid of this.film.solids) {
      if (solid.count === 0 || (keep && !keep(solid))) continue;
      gl.uniformMatrix4fv(at.model, false, moment.poses[solid.link]);
      this.drawPart(at, solid, this.tint || solid.colour, solid.first, solid.count);
    }
    this.film.sheets.forEach((sheet, i) => {
      if (sheet.count === 0 || (keep && !keep(sheet))) return;
      const [k, next, s] = moment.frames[i];
      this.setFrames(sheet.vertex + k * sheet.vertices, sheet.vertex + next * sheet.vertices);
      gl.uniform1f(at.blend, s); gl.uniformMatrix4fv(at.model, false, UNMOVED);
      let first = sheet.first;
      for (const [r, g, b, count] of sheet.shades) { this.drawPart(at, sheet, this.tint || [r, g, b], first, count); first += count; }
      // Triangles that have touched by now, over the same triangles: the same vertices give the same depths.
      const touched = moment.touched ? moment.touched[i] : 0;
      if (touched > 0 && at.colour && !this.tint) this.drawPart(at, sheet, moment.paint, sheet.first + sheet.count, 3 * touched);
    });
    this.setFrames(0, 0);
  }

  // The edges of the sheets' triangles, each once, as a second list of numbers after that of the triangles.
  addEdges(indices) {
    const gl = this.gl, rows = [indices];
    let first = indices.length;
    for (const sheet of this.film.sheets) {
      const keys = new Float64Array(sheet.count), n = sheet.vertices;
      for (let k = 0; k < sheet.count; k++) {
        const a = indices[sheet.first + k], b = indices[sheet.first + (k % 3 === 2 ? k - 2 : k + 1)];
        keys[k] = Math.min(a, b) * n + Math.max(a, b);
      }
      keys.sort();
      const edges = keys.filter((key, k) => k === 0 || key !== keys[k - 1]), row = new Uint32Array(2 * edges.length);
      edges.forEach((key, k) => { row[2 * k] = Math.floor(key / n); row[2 * k + 1] = key % n; });
      sheet.edges = [first, row.length];
      rows.push(row); first += row.length;
    }
    const all = new Uint32Array(first);
    first = 0;
    for (const row of rows) { all.set(row, first); first += row.length; }
    gl.bindVertexArray(this.solids.array); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW); gl.bindVertexArray(null);
  }

  // Edges lie on their triangles: they come forward a little, and what is behind a fold stays hidden.
  drawEdges(light, moment, alpha) {
    const gl = this.gl, at = this.use("solid", { ...light, ghost: alpha, flatLight: 1, viewer: light.eye, retreat: -0.0012 * this.film.reach });
    this.texture(at, "shade", 0, this.shadow); this.texture(at, "creases", 1, this.soft);
    gl.bindVertexArray(this.solids.array); gl.uniformMatrix4fv(at.model, false, UNMOVED);
    this.film.sheets.forEach((sheet, i) => {
      const [k, next, s] = moment.frames[i];
      this.setFrames(sheet.vertex + k * sheet.vertices, sheet.vertex + next * sheet.vertices);
      gl.uniform1f(at.blend, s); gl.uniform3fv(at.low, sheet.low); gl.uniform3fv(at.span, sheet.span); gl.uniform3fv(at.colour, [0.05, 0.08, 0.16]);
      gl.drawElements(gl.LINES, sheet.edges[1], gl.UNSIGNED_INT, 4 * sheet.edges[0]);
    });
    this.setFrames(0, 0);
  }

  drawPart(at, part, colour, first, count) {
    const gl = this.gl;
    gl.uniform3fv(at.low, part.low); gl.uniform3fv(at.span, part.span);
    if (at.colour) gl.uniform3fv(at.colour, colour);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
  }

  // From which vertices on the two frames are read.
  setFrames(now, later) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.solids.buffer);
    [now, later].forEach((first, i) => {
      gl.vertexAttribPointer(2 * i, 3, gl.UNSIGNED_SHORT, true, 12, 12 * first);
      gl.vertexAttribPointer(2 * i + 1, 2, gl.SHORT, true, 12, 12 * first + 8);
    });
  }

  // The outlines of the touching triangles come first, then all other lines.
  setLines(outlines, rows) {
    const gl = this.gl;
    this.markLines = outlines.length / 10; this.lineCount = rows.length / 10;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lines.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([...outlines, ...rows]), gl.DYNAMIC_DRAW);
  }

  setMarks(triangles, arrow) {
    const gl = this.gl;
    this.markCount = triangles.length / 6; this.arrowCount = arrow.length / 6;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.marks.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([...triangles, ...arrow]), gl.DYNAMIC_DRAW);
  }

  // state: camera {frame, eye}, moment, ghosts [{moment, colour, alpha}], theme, marks (opacity of the contact), dark
  draw(state) {
    const gl = this.gl, film = this.film, { theme } = state;
    this.fit();
    const { width, height } = this.canvas, screen = [width, height];
    const eye = state.camera.eye, size = film.size;
    const away = Math.hypot(...eye.map((x, i) => x - film.middle[i]));
    const near = Math.max(0.01 * size, 0.12 * (away - size)), far = away + 6 * size;
    const camera = M.multiply(M.perspective(TANGENT, width / height, near, far), M.view(state.camera.frame, eye));
    const sunFrame = lookFrame(this.sun), half = 0.62 * size;
    const sunCamera = M.multiply(M.box(half, 2 * half), M.view(sunFrame, film.middle));
    const texel = 2 * half / SHADOW;
    this.camera = camera;
    gl.enable(gl.DEPTH_TEST); gl.depthFunc(gl.LEQUAL); gl.depthMask(true); gl.disable(gl.BLEND);

    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
    gl.viewport(0, 0, SHADOW, SHADOW); gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1.5, 2);
    this.drawSolids(this.use("depth", { camera: sunCamera, retreat: 0, viewer: eye }), state.moment);
    gl.disable(gl.POLYGON_OFFSET_FILL);

    gl.bindFramebuffer(gl.FRAMEBUFFER, this.depth.frame);
    gl.viewport(0, 0, width, height); gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawSolids(this.use("depth", { camera, retreat: 0, viewer: eye }), state.moment);
    const ground = { camera, middle: [film.middle[0], film.middle[1], film.ground], reach: 3.2 * size, cell: film.cell };
    const plain = this.use("ground", ground);
    this.texture(plain, "shade", 0, this.shadow); this.texture(plain, "creases", 1, this.soft);
    gl.bindVertexArray(this.square.array); gl.colorMask(false, false, false, false);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4); gl.colorMask(true, true, true, true);

    gl.disable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.crease.frame);
    this.texture(this.use("crease", { near, far, radius: 0.07 * film.reach, focal: 1 / TANGENT, screen }), "depth", 0, this.depth);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.soft.frame);
    this.texture(this.use("blur", { screen }), "image", 0, this.crease);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.use("back", { top: theme.top, bottom: theme.bottom });
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.enable(gl.DEPTH_TEST);

    const light = { camera, sunCamera, sun: this.sun, eye, texel, screen, dark: state.dark ? 1 : 0 };
    let at = this.use("solid", { ...light, ghost: 0, flatLight: 0, retreat: 0, viewer: eye });
    this.texture(at, "shade", 0, this.shadow); this.texture(at, "creases", 1, this.soft);
    this.tint = null;
    this.drawSolids(at, state.moment);

    gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    at = this.use("ground", { ...light, ...ground, paper: theme.paper, ink: theme.ink, shadowInk: theme.shadow });
    this.texture(at, "shade", 0, this.shadow); this.texture(at, "creases", 1, this.soft);
    gl.bindVertexArray(this.square.array); gl.depthMask(false);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);

    if (state.mesh) this.drawEdges(light, state.moment, 0.8);
    for (const ghost of state.ghosts) this.drawGhost(ghost, light);
    gl.depthMask(false);
    if (this.lineCount > 0) {
      for (const [hidden, fade] of [[true, 0.28], [false, 1]]) {
        if (hidden) gl.disable(gl.DEPTH_TEST); else gl.enable(gl.DEPTH_TEST);
        this.use("line", { camera, screen, fade, width: 1.1 * Math.min(window.devicePixelRatio || 1, 2) });
        this.drawLines(this.markLines, this.lineCount);
      }
    }
    if (state.marks > 0 && this.markCount + this.arrowCount > 0) this.drawMarks(camera, theme.contact, state.marks, screen);
    gl.depthMask(true);
  }

  drawLines(first, count) {
    const gl = this.gl;
    gl.bindVertexArray(this.lines.array); gl.bindBuffer(gl.ARRAY_BUFFER, this.lines.buffer);
    [[3, 0], [3, 12], [4, 24]].forEach(([size, offset], i) => gl.vertexAttribPointer(i, size, gl.FLOAT, false, 40, 40 * first + offset));
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
  }

  // Only the outside of a ghost is seen: its depth is laid first, then its colour where it is nearest.
  drawGhost(ghost, light) {
    const gl = this.gl, keep = (solid) => ghost.shows(solid);
    gl.depthMask(true);
    const back = { camera: light.camera, viewer: light.eye, retreat: 0.004 * this.film.reach };
    gl.colorMask(false, false, false, false);
    this.drawSolids(this.use("depth", back), ghost.moment, keep);
    gl.colorMask(true, true, true, true);
    const at = this.use("solid", { ...light, ...back, ghost: ghost.alpha, flatLight: 1 });
    this.texture(at, "shade", 0, this.shadow); this.texture(at, "creases", 1, this.soft);
    this.tint = ghost.colour;
    this.drawSolids(at, ghost.moment, keep);
    this.tint = null;
  }

  // The touching triangles and the normal: plain where they can be seen, faint where something hides them.
  drawMarks(camera, colour, opacity, screen) {
    const gl = this.gl;
    gl.bindVertexArray(this.marks.array);
    for (const [hidden, alpha] of [[true, 0.12], [false, 0.42]]) {
      if (hidden) gl.disable(gl.DEPTH_TEST); else gl.enable(gl.DEPTH_TEST);
      gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(-2, -8);
      this.use("plain", { camera, colour: [...colour, alpha * opacity], sun: [0, 0, 1] });
      gl.drawArrays(gl.TRIANGLES, 0, this.markCount);
      this.use("line", { camera, screen, fade: 1, width: 1.3 * Math.min(window.devicePixelRatio || 1, 2) });
      if (!hidden) this.drawLines(0, this.markLines);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.bindVertexArray(this.marks.array);
      if (!hidden) gl.depthMask(true);
      this.use("plain", { camera, colour: [...colour, (hidden ? 0.35 : 1) * opacity], sun: this.sun });
      gl.drawArrays(gl.TRIANGLES, this.markCount, this.arrowCount);
      gl.depthMask(false);
    }
    gl.enable(gl.DEPTH_TEST);
  }
}
