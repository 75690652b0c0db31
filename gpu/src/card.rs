//! A graphics card: its buffers, its kernels, and what it reports about each dispatch.

use nqueens::Cancelled;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use wgpu::{
    BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages, CommandEncoder, ComputePipeline,
    ComputePipelineDescriptor, Device, ErrorFilter, MapMode, PipelineCompilationOptions, PollType, Queue,
    ShaderModuleDescriptor, ShaderSource,
};

/// Why a card could not count a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Its memory is too small.
    Memory,
    /// An entry of a turned table does not fit in 16 bits.
    Entry,
    /// The unit has a form that the kernels do not count.
    Unfit,
    /// The card does not answer, or its driver rejects a request.
    Lost(String),
    /// Two kernels contradict each other.
    Wrong(&'static str),
    /// The count was stopped, without any fault of the card.
    Cancelled,
}

impl From<Cancelled> for Trouble {
    fn from(Cancelled: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Memory => f.write_str("its memory is too small"),
            Self::Entry => f.write_str("an entry does not fit in 16 bits"),
            Self::Unfit => f.write_str("the unit has a form that the kernels do not count"),
            Self::Lost(problem) => write!(f, "it does not answer ({problem})"),
            Self::Wrong(problem) => f.write_str(problem),
            Self::Cancelled => f.write_str("it was stopped"),
        }
    }
}

/// A kernel: a program that runs on a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    Merge,
    Fit,
    Turn,
    /// Filling tables, with this number of free columns.
    Fill(u32),
    Dot(u32),
}

/// The number of kernels.
pub(crate) const KERNELS: usize = 5;

impl Kernel {
    pub(super) fn number(self) -> usize {
        match self {
            Self::Merge => 0,
            Self::Fit => 1,
            Self::Turn => 2,
            Self::Fill(_) => 3,
            Self::Dot(_) => 4,
        }
    }

    pub(crate) fn source(self) -> String {
        let counting =
            |text, columns| format!("const COLUMNS = {columns}u;\n{}{text}", include_str!("kernels/walks.wgsl"));
        match self {
            Self::Merge => include_str!("kernels/merge.wgsl").to_owned(),
            Self::Fit => include_str!("kernels/fittings.wgsl").to_owned(),
            Self::Turn => include_str!("kernels/turn.wgsl").to_owned(),
            Self::Fill(columns) => counting(include_str!("kernels/fill.wgsl"), columns),
            Self::Dot(columns) => counting(include_str!("kernels/dot.wgsl"), columns),
        }
    }
}

/// A kernel's report on a dispatch: numbers that its invocations set or add up.
pub(super) type Report = [u32; 4];

/// The time that a dispatch should take. If the card also shows a desktop, its driver may kill a dispatch after two
/// seconds.
const DISPATCH_SECONDS: f64 = 0.25;

/// How long to wait for a card that does not answer. Most drivers report a lost card sooner.
const PATIENCE: Duration = Duration::from_secs(600);

/// The number of workgroups in the first dispatch of a kernel, whose pace is not yet known.
const FIRST_GROUPS: f64 = 2048.0;

/// The maximum number of workgroups of a dispatch in one dimension.
pub(super) const MOST_GROUPS: usize = 65_535;

/// A card that is ready to count.
pub(crate) struct Card {
    pub(crate) name: String,
    device: Device,
    queue: Queue,
    /// The size of each large buffer, in bytes.
    pub(crate) room: usize,
    pipelines: HashMap<Kernel, ComputePipeline>,
    task: Buffer,
    report: Buffer,
    staging: Buffer,
    /// The first error that the device reported on its own.
    error: Arc<Mutex<Option<String>>>,
    /// Seconds that each kernel has taken so far.
    pub(crate) seconds: [f64; KERNELS],
    /// The number of workgroups that a kernel may have in its next dispatch.
    groups: [f64; KERNELS],
    /// A string in the source of the kernels, and the string that replaces it and makes them wrong.
    #[cfg(test)]
    pub(crate) fault: [&'static str; 2],
}

impl std::fmt::Debug for Card {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Card").field("name", &self.name).field("room", &self.room).finish_non_exhaustive()
    }
}

impl Card {
    /// Makes the small buffers of an open device, whose large buffers may take `room` bytes each.
    pub(crate) fn new(name: String, device: Device, queue: Queue, room: usize) -> Self {
        let error = Arc::new(Mutex::new(None));
        let note = |error: &Arc<Mutex<Option<String>>>, text: String| {
            error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
        };
        let at_error = Arc::clone(&error);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&at_error, error.to_string())));
        let at_loss = Arc::clone(&error);
        device.set_device_lost_callback(move |_, text| note(&at_loss, format!("the device was lost: {text}")));
        let buffer = |size, usage| {
            device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        let bytes = size_of::<Report>() as u64;
        Self {
            name,
            room,
            pipelines: HashMap::new(),
            task: buffer(32, BufferUsages::UNIFORM | BufferUsages::COPY_DST),
            report: buffer(bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST),
            staging: buffer(bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST),
            device,
            queue,
            error,
            seconds: [0.0; KERNELS],
            groups: [FIRST_GROUPS; KERNELS],
            #[cfg(test)]
            fault: [""; 2],
        }
    }

    /// Fails if the device has reported an error. The error stays, so all later calls fail as well.
    fn check(&self) -> Result<(), Trouble> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).clone();
        error.map_or(Ok(()), |error| Err(Trouble::Lost(error)))
    }

    /// Makes a buffer of `numbers` numbers of 32 bits.
    pub(super) fn buffer(&self, numbers: usize) -> Result<Buffer, Trouble> {
        self.check()?;
        // A binding must not be empty.
        let size = 4 * numbers.max(4) as u64;
        if size > self.device.limits().max_storage_buffer_binding_size {
            return Err(Trouble::Memory);
        }
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let scope = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let buffer =
            self.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        let refused = pollster::block_on(scope.pop());
        self.check()?;
        refused.map_or(Ok(buffer), |_| Err(Trouble::Memory))
    }

    /// Makes a buffer that contains these numbers.
    pub(super) fn upload(&self, numbers: impl ExactSizeIterator<Item = u32>) -> Result<Buffer, Trouble> {
        let buffer = self.buffer(numbers.len())?;
        self.write(&buffer, 0, numbers);
        Ok(buffer)
    }

    /// Writes numbers to a buffer, from number `first` on.
    pub(super) fn write(&self, buffer: &Buffer, first: usize, numbers: impl Iterator<Item = u32>) {
        let bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
        if !bytes.is_empty() {
            self.queue.write_buffer(buffer, 4 * first as u64, &bytes);
        }
    }

    /// Sets the first numbers of a buffer to 0.
    pub(super) fn clear(&self, buffer: &Buffer, numbers: usize) {
        self.submit(|encoder| encoder.clear_buffer(buffer, 0, Some(4 * numbers as u64)));
    }

    /// Copies the first numbers of a buffer to a new one.
    pub(super) fn copy(&self, from: &Buffer, numbers: usize) -> Result<Buffer, Trouble> {
        let to = self.buffer(numbers)?;
        self.submit(|encoder| encoder.copy_buffer_to_buffer(from, 0, &to, 0, 4 * numbers as u64));
        Ok(to)
    }

    fn submit(&self, record: impl FnOnce(&mut CommandEncoder)) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        record(&mut encoder);
        self.queue.submit([encoder.finish()]);
    }

    /// Reads the first numbers of a buffer.
    pub(super) fn read(&self, buffer: &Buffer, numbers: usize) -> Result<Vec<u32>, Trouble> {
        let size = 4 * numbers as u64;
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let staging =
            self.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        self.submit(|encoder| encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size));
        self.map(&staging)
    }

    /// Waits until the card has finished, and reads a buffer that can be mapped.
    fn map(&self, staging: &Buffer) -> Result<Vec<u32>, Trouble> {
        let mapped = Arc::new(Mutex::new(false));
        let answer = Arc::clone(&mapped);
        staging.map_async(MapMode::Read, .., move |result| {
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = result.is_ok();
        });
        let timeout = Some(PATIENCE);
        let waited = self.device.poll(PollType::Wait { submission_index: None, timeout });
        self.check()?;
        waited.map_err(|error| Trouble::Lost(error.to_string()))?;
        if !*mapped.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(Trouble::Lost("its memory cannot be read".to_owned()));
        }
        let view = staging.get_mapped_range(..).map_err(|error| Trouble::Lost(error.to_string()))?;
        let numbers = view.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")));
        let numbers = numbers.collect();
        drop(view);
        staging.unmap();
        Ok(numbers)
    }

    /// Returns the maximum number of workgroups that a dispatch of this kernel may have, judging by its pace so far.
    pub(super) fn groups(&self, kernel: Kernel) -> usize {
        self.groups[kernel.number()] as usize
    }

    /// Runs a kernel, waits for it, and returns its report. The kernel gets a task of up to eight numbers, these
    /// buffers and, if it `reports`, the buffer for the report.
    pub(super) fn run(
        &mut self,
        kernel: Kernel,
        task: &[u32],
        buffers: &[&Buffer],
        reports: bool,
        groups: [usize; 3],
    ) -> Result<Report, Trouble> {
        if !self.pipelines.contains_key(&kernel) {
            let source = kernel.source();
            #[cfg(test)]
            let source = if self.fault[0].is_empty() { source } else { source.replace(self.fault[0], self.fault[1]) };
            let source = ShaderSource::Wgsl(source.into());
            let module = &self.device.create_shader_module(ShaderModuleDescriptor { label: None, source });
            let entry_point = Some("main");
            // The kernels write each number before they read it, so zeros would only cost time (SwiftShader, n = 13:
            // 7.8 s instead of 1.1).
            let compilation_options =
                PipelineCompilationOptions { zero_initialize_workgroup_memory: false, ..Default::default() };
            let pipeline = self.device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: None,
                layout: None,
                module,
                entry_point,
                compilation_options,
                cache: None,
            });
            self.check()?;
            self.pipelines.insert(kernel, pipeline);
        }
        let pipeline = &self.pipelines[&kernel];
        let start = Instant::now();
        let all = std::iter::once(&self.task).chain(buffers.iter().copied()).chain(reports.then_some(&self.report));
        let entries: Vec<BindGroupEntry<'_>> = (0..)
            .zip(all)
            .map(|(binding, buffer)| BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let layout = &pipeline.get_bind_group_layout(0);
        let bind_group = self.device.create_bind_group(&BindGroupDescriptor { label: None, layout, entries: &entries });
        let mut numbers = [0; 8];
        numbers[..task.len()].copy_from_slice(task);
        self.write(&self.task, 0, numbers.into_iter());
        self.submit(|encoder| {
            encoder.clear_buffer(&self.report, 0, None);
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &bind_group, &[]);
            let [x, y, z] = groups.map(|groups| groups as u32);
            pass.dispatch_workgroups(x, y, z);
            drop(pass);
            encoder.copy_buffer_to_buffer(&self.report, 0, &self.staging, 0, self.staging.size());
        });
        let report = self.map(&self.staging)?;
        let seconds = start.elapsed().as_secs_f64();
        let number = kernel.number();
        self.seconds[number] += seconds;
        let groups = groups.iter().product::<usize>() as f64;
        // The next lists may be longer, so dispatches grow slowly and shrink at once.
        self.groups[number] = (groups * DISPATCH_SECONDS / seconds.max(1e-6)).min(4.0 * self.groups[number]).max(1.0);
        Ok(report.try_into().expect("a report has its length"))
    }

    /// Destroys the device, as if its driver had failed.
    #[cfg(test)]
    pub(crate) fn destroy(&self) {
        self.device.destroy();
    }
}
