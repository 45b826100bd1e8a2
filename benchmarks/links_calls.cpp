// Both sides of links.py called from a loop in C, so that no call from Python is in between. Pinocchio's algorithm runs from its own library, as in Python.
#include <pinocchio/algorithm/aba.hpp>

#include <chrono>

namespace {

struct Tree {
    pinocchio::Model model;
    pinocchio::Data data;
};

// Of one call, which is told which of two points: they take turns, so that nothing can be kept from the last one.
template <typename Call> double seconds_each(long count, const Call &call)
{
    const auto began = std::chrono::steady_clock::now();
    for (long i = 0; i < count; i++)
        call(i % 2);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / (double)count;
}

} // namespace

extern "C" {

struct Link {
    double gravity[3], length, mass, centre, inertia[3];
};

typedef int Derivatives(void *kernel, double t, const double *x, double *dx);

double derivatives_seconds(Derivatives *derivatives, void *kernel, const double *const *x, double *dx, long count)
{
    return seconds_each(count, [=](long point) { derivatives(kernel, 0.0, x[point], dx); });
}

// Equal links, by the one that each hangs on, or -1, and whether its hinge is about z, or else y.
Tree *tree_new(int links, const int *parent, const bool *about_z, const Link *link)
{
    pinocchio::Model model;
    model.gravity = pinocchio::Motion(Eigen::Vector3d(link->gravity), Eigen::Vector3d::Zero());
    const Eigen::Vector3d moments(link->inertia);
    const pinocchio::Inertia body(link->mass, Eigen::Vector3d(link->centre, 0, 0), moments.asDiagonal().toDenseMatrix());
    for (int i = 0; i < links; i++) {
        const pinocchio::SE3 place(Eigen::Matrix3d::Identity(), Eigen::Vector3d(parent[i] < 0 ? 0 : link->length, 0, 0));
        const auto before = (pinocchio::JointIndex)(parent[i] + 1);
        const std::string name = "pin" + std::to_string(i);
        const auto joint = about_z[i] ? model.addJoint(before, pinocchio::JointModelRZ(), place, name)
                                      : model.addJoint(before, pinocchio::JointModelRY(), place, name);
        model.appendBodyToJoint(joint, body, pinocchio::SE3::Identity());
    }
    return new Tree{model, pinocchio::Data(model)};
}

double accelerations_seconds(Tree *tree, const double *const *angles, const double *rates, double *accelerations, long count)
{
    using Values = Eigen::Map<const Eigen::VectorXd>;
    using Given = Eigen::Ref<const Eigen::VectorXd>;
    const int links = tree->model.nv;
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(links);
    const Given q[2] = {Values(angles[0], links), Values(angles[1], links)}, v = Values(rates, links), tau = none;
    const double seconds = seconds_each(count, [&](long point) { pinocchio::aba(tree->model, tree->data, q[point], v, tau); });
    Eigen::Map<Eigen::VectorXd>(accelerations, links) = tree->data.ddq;
    return seconds;
}

void tree_free(Tree *tree)
{
    delete tree;
}
}
