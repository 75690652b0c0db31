//! The graphics cards and software adapters of this machine, and the choice of those that count.

use wgpu::{
    AdapterInfo, Backend, Backends, DeviceDescriptor, DeviceType, Instance, InstanceDescriptor, InstanceFlags, Limits,
};

use crate::card::Card;

/// The maximum number of storage buffers that a kernel uses. Every WebGPU card allows that many.
pub(crate) const STORAGE_BUFFERS: u32 = 8;

/// The maximum workgroup memory of a kernel, in bytes. Every Vulkan, Metal and DirectX 12 card has that much.
pub(crate) const WORKGROUP_BYTES: u32 = 16_384;

/// The maximum size of a large buffer, in bytes. A card holds seven such buffers.
const MOST_BYTES: u64 = 1 << 30;

/// The maximum size of a large buffer on a software adapter, in bytes.
const MOST_BYTES_OF_SOFTWARE: u64 = 8 << 20;

/// A graphics card, or a program that imitates one on the processor: a software adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adapter {
    /// The name that the driver reports. Cards of one model have equal names.
    pub name: String,
    /// The interface through which the adapter was found: Vulkan, Metal or DirectX 12.
    pub interface: &'static str,
    /// Whether this is a software adapter.
    pub is_software: bool,
    /// The reason why the adapter cannot count, or `None` if it can.
    pub lacks: Option<String>,
}

/// The error if no graphics card can count on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoCard {
    /// What each card lacks, or what to install if there is none.
    pub reason: String,
}

impl std::error::Error for NoCard {}

impl std::fmt::Display for NoCard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no graphics card can count here: {}", self.reason)
    }
}

/// The choice of the adapters that count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// All graphics cards.
    Cards,
    /// All software adapters, for tests.
    Software,
    /// All cards and software adapters with this text in their names, in upper or lower case.
    Named(String),
}

/// Lists the graphics cards and software adapters of this machine, including those that cannot count.
#[must_use]
pub fn adapters() -> Vec<Adapter> {
    found().into_iter().map(|(adapter, _)| adapter).collect()
}

fn found() -> Vec<(Adapter, wgpu::Adapter)> {
    // wgpu hides drivers that do not conform to Vulkan. They are listed here, but they are not used.
    let mut all_drivers = InstanceDescriptor::new_without_display_handle();
    all_drivers.flags |= InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER;
    let [hiding, showing] = [Instance::default(), Instance::new(all_drivers)];
    let list = |instance: &Instance, backends| pollster::block_on(instance.enumerate_adapters(backends));
    let conforming: Vec<AdapterInfo> = list(&hiding, Backends::all()).iter().map(wgpu::Adapter::get_info).collect();
    let about = |adapter: wgpu::Adapter| (about(&adapter, &conforming), adapter);
    let mut all: Vec<_> = list(&showing, Backends::VULKAN | Backends::METAL).into_iter().map(about).collect();
    // On Windows, a card has one driver for Vulkan and another for DirectX, but must be listed only once.
    let ids = |adapter: &wgpu::Adapter| (adapter.get_info().vendor, adapter.get_info().device);
    let can_count: Vec<_> = all.iter().filter(|(about, _)| about.lacks.is_none()).map(|(_, one)| ids(one)).collect();
    let others = list(&showing, Backends::DX12).into_iter().filter(|other| !can_count.contains(&ids(other)));
    all.extend(others.map(about));
    all
}

fn about(adapter: &wgpu::Adapter, conforming: &[AdapterInfo]) -> Adapter {
    let info = adapter.get_info();
    let interface = match info.backend {
        Backend::Vulkan => "Vulkan",
        Backend::Metal => "Metal",
        Backend::Dx12 => "DirectX 12",
        _ => "another interface",
    };
    let conforms =
        conforming.iter().any(|one| (one.vendor, one.device, &one.name) == (info.vendor, info.device, &info.name));
    let lacks =
        lacks(&adapter.limits()).or_else(|| (!conforms).then(|| format!("its driver does not conform to {interface}")));
    Adapter { is_software: info.device_type == DeviceType::Cpu, name: info.name, interface, lacks }
}

/// Returns a clause about the limit of an adapter that is too low, if there is one.
pub(crate) fn lacks(limits: &Limits) -> Option<String> {
    let (buffers, bytes) = (limits.max_storage_buffers_per_shader_stage, limits.max_compute_workgroup_storage_size);
    if buffers < STORAGE_BUFFERS {
        Some(format!("it allows {buffers} of the {STORAGE_BUFFERS} storage buffers that a shader needs"))
    } else if bytes < WORKGROUP_BYTES {
        Some(format!("it allows {bytes} bytes of workgroup memory, and {WORKGROUP_BYTES} are needed"))
    } else {
        None
    }
}

/// Opens the chosen adapters, and passes each card to `ready`.
///
/// # Errors
/// [`NoCard`] names each adapter and says why it cannot count.
pub(crate) fn open<T>(choice: &Choice, ready: impl Fn(Card) -> Result<T, String>) -> Result<Vec<T>, NoCard> {
    let (mut opened, mut refused) = (Vec::new(), Vec::new());
    for (adapter, of_wgpu) in found() {
        let name = adapter.name.clone();
        let is_chosen = match choice {
            Choice::Cards => !adapter.is_software,
            Choice::Software => adapter.is_software,
            Choice::Named(part) => name.to_lowercase().contains(&part.to_lowercase()),
        };
        if !is_chosen {
            let kind = if adapter.is_software { "a software adapter" } else { "a graphics card" };
            refused.push(format!("'{name}' is {kind}, and was not asked for"));
            continue;
        }
        match open_one(adapter, &of_wgpu).and_then(&ready) {
            Ok(card) => opened.push(card),
            Err(problem) => refused.push(format!("'{name}' cannot count, because {problem}")),
        }
    }
    if !opened.is_empty() {
        return Ok(opened);
    }
    let nothing = "Vulkan, Metal and DirectX 12 find none; install its driver";
    let reason = if refused.is_empty() { nothing.to_owned() } else { refused.join("; ") };
    Err(NoCard { reason })
}

fn open_one(adapter: Adapter, of_wgpu: &wgpu::Adapter) -> Result<Card, String> {
    if let Some(lacks) = adapter.lacks {
        return Err(lacks);
    }
    let limits = of_wgpu.limits();
    let most = if adapter.is_software { MOST_BYTES_OF_SOFTWARE } else { MOST_BYTES };
    let room = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(most) as usize;
    let wanted = DeviceDescriptor { required_limits: limits, ..DeviceDescriptor::default() };
    let opened = pollster::block_on(of_wgpu.request_device(&wanted));
    let (device, queue) = opened.map_err(|error| format!("its driver does not open it ({error})"))?;
    Ok(Card::new(adapter.name, device, queue, room))
}
