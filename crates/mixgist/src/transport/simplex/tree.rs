//! The spanning tree of the network simplex: flows, potentials and the exchange of one arc for another.

/// No node.
const NONE: u32 = u32::MAX;

/// An arc of the basis with its flow.
pub(super) struct Arc {
    pub source: u32,
    pub sink: u32,
    pub flow: i128,
}

/// Children are doubly linked lists, so that a node moves to another parent in constant time.
#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    first_child: u32,
    next: u32,
    previous: u32,
    depth: u32,
}

/// A spanning tree, rooted at a sink. Nodes are the sources, then the sinks.
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Flow on the arc between a node and its parent, always positive.
    flows: Vec<i128>,
    /// u of the sources, then v of the sinks; u + v = c on every arc of the tree.
    pub potentials: Vec<f64>,
    sources: usize,
    root: u32,
}

impl Tree {
    /// The tree with the given (sources + sinks − 1) arcs, rooted at sink `root`; potentials are left at 0.
    pub(super) fn new(sources: usize, sinks: usize, root: usize, arcs: &[Arc]) -> Self {
        let count = sources + sinks;
        let blank = Node { parent: NONE, first_child: NONE, next: NONE, previous: NONE, depth: 0 };
        let root = (sources + root) as u32;
        let mut tree =
            Tree { nodes: vec![blank; count], flows: vec![0; count], potentials: vec![0.0; count], sources, root };
        let mut neighbors: Vec<Vec<(u32, i128)>> = vec![Vec::new(); count];
        for arc in arcs {
            let sink = sources as u32 + arc.sink;
            neighbors[arc.source as usize].push((sink, arc.flow));
            neighbors[sink as usize].push((arc.source, arc.flow));
        }
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            for &(child, flow) in &neighbors[node as usize] {
                if child != tree.nodes[node as usize].parent {
                    tree.attach(child, node);
                    tree.nodes[child as usize].depth = tree.nodes[node as usize].depth + 1;
                    tree.flows[child as usize] = flow;
                    waiting.push(child);
                }
            }
        }
        tree
    }

    /// All potentials anew from the costs (sources × sinks); that of the root is 0.
    pub(super) fn set_potentials(&mut self, costs: &[f64]) {
        let (sources, sinks) = (self.sources, self.nodes.len() - self.sources);
        let root = self.root as usize;
        let Tree { nodes, potentials, .. } = self;
        potentials[root] = 0.0;
        preorder(nodes, root as u32, |nodes, node| {
            let parent = nodes[node].parent as usize;
            if node != root {
                let (source, sink) = if node < sources { (node, parent) } else { (parent, node) };
                potentials[node] = costs[source * sinks + sink - sources] - potentials[parent];
            }
        });
    }

    /// Brings the arc (source, sink) into the tree, sends as much as possible around its cycle, and drops the arc that runs dry.
    pub(super) fn pivot(&mut self, source: usize, sink: usize, reduced_cost: f64) {
        let (source, sink) = (source as u32, (self.sources + sink) as u32);
        let Blocking { node: leaving, flow: moved, below_source } = self.blocking(source, sink);
        self.push_around(source, sink, moved);

        // The part that the dropped arc cuts off hangs from the new arc from now on: its path to the new arc turns around.
        let (top, mut parent) = if below_source { (source, sink) } else { (sink, source) };
        let (mut node, mut flow) = (top, moved);
        loop {
            let (old_parent, old_flow) = (self.nodes[node as usize].parent, self.flows[node as usize]);
            self.detach(node);
            self.attach(node, parent);
            self.flows[node as usize] = flow;
            if node == leaving {
                break;
            }
            (parent, flow, node) = (node, old_flow, old_parent);
        }
        let (sources, kind) = (self.sources, (top as usize) < self.sources);
        let Tree { nodes, potentials, .. } = self;
        preorder(nodes, top, |nodes, node| {
            nodes[node].depth = nodes[nodes[node].parent as usize].depth + 1;
            potentials[node] += if (node < sources) == kind { reduced_cost } else { -reduced_cost };
        });
    }

    /// The arc on the cycle that runs dry first. Flow goes source → sink along the new arc, then up from the sink and down
    /// to the source: against the arc above each sink on the sink's side and above each source on the source's side.
    fn blocking(&self, source: u32, sink: u32) -> Blocking {
        let mut best = Blocking { node: NONE, flow: i128::MAX, below_source: false };
        let (mut x, mut y) = (source, sink);
        while x != y {
            let from_source = self.nodes[x as usize].depth >= self.nodes[y as usize].depth;
            let node = if from_source { x } else { y };
            let shrinks = ((node as usize) < self.sources) == from_source;
            let flow = self.flows[node as usize];
            if shrinks && flow < best.flow {
                best = Blocking { node, flow, below_source: from_source };
            }
            let parent = self.nodes[node as usize].parent;
            if from_source { x = parent } else { y = parent }
        }
        best
    }

    fn push_around(&mut self, source: u32, sink: u32, moved: i128) {
        let (mut x, mut y) = (source, sink);
        while x != y {
            let from_source = self.nodes[x as usize].depth >= self.nodes[y as usize].depth;
            let node = if from_source { x } else { y };
            let shrinks = ((node as usize) < self.sources) == from_source;
            self.flows[node as usize] += if shrinks { -moved } else { moved };
            let parent = self.nodes[node as usize].parent;
            if from_source { x = parent } else { y = parent }
        }
    }

    fn attach(&mut self, node: u32, parent: u32) {
        let sibling = self.nodes[parent as usize].first_child;
        if sibling != NONE {
            self.nodes[sibling as usize].previous = node;
        }
        self.nodes[parent as usize].first_child = node;
        let entry = &mut self.nodes[node as usize];
        (entry.parent, entry.next, entry.previous) = (parent, sibling, NONE);
    }

    fn detach(&mut self, node: u32) {
        let Node { parent, next, previous, .. } = self.nodes[node as usize];
        match previous {
            NONE => self.nodes[parent as usize].first_child = next,
            _ => self.nodes[previous as usize].next = next,
        }
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
    }

    /// The arcs of the tree.
    pub(super) fn arcs(&self) -> impl Iterator<Item = Arc> {
        (0..self.nodes.len()).filter(|&node| node != self.root as usize).map(|node| {
            let parent = self.nodes[node].parent as usize;
            let (source, sink) = if node < self.sources { (node, parent) } else { (parent, node) };
            Arc { source: source as u32, sink: (sink - self.sources) as u32, flow: self.flows[node] }
        })
    }
}

struct Blocking {
    node: u32,
    flow: i128,
    below_source: bool,
}

/// Visits a node and all below it, parents first.
#[inline]
fn preorder(nodes: &mut [Node], top: u32, mut visit: impl FnMut(&mut [Node], usize)) {
    let mut node = top;
    loop {
        visit(nodes, node as usize);
        if nodes[node as usize].first_child != NONE {
            node = nodes[node as usize].first_child;
            continue;
        }
        while node != top && nodes[node as usize].next == NONE {
            node = nodes[node as usize].parent;
        }
        if node == top {
            return;
        }
        node = nodes[node as usize].next;
    }
}
